// Regions of known kinds for the counter and for Callgrind: what each of them is, its one argument says.

#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

volatile std::size_t g_sink = 0;

void allocate() {
  void* blocks[100];
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) blocks[i] = std::malloc(7 * static_cast<std::size_t>(i) + 1);
    for (void* block : blocks) std::free(block);
  }
}

void strings() {
  char text[100];
  for (int i = 0; i < 200; ++i) {
    std::snprintf(text, sizeof text, "%d %g", i, i * 0.7);
    g_sink = g_sink + std::strlen(text) + std::stoul(text);
  }
}

/// One instruction that repeats itself, and one that is left half-way.
void copy() {
  static char from[5000];
  static char to[5000];
  for (std::size_t n = 0; n < 50; ++n) {
    void* target = to;
    const void* source = from;
    std::size_t bytes = 100 * n;
    asm volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(bytes) : : "memory");
    const void* at = to;
    bytes = 100 * n;
    asm volatile("repe scasb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory", "cc");
  }
}

void pause() {
  strings();
  CALLGRIND_TOGGLE_COLLECT;
  allocate();
  CALLGRIND_TOGGLE_COLLECT;
  copy();
}

void signal() {
  std::signal(SIGUSR1, [](int) { g_sink = g_sink + 1; });
  for (int i = 0; i < 100; ++i) std::raise(SIGUSR1);
}

[[gnu::noinline]] void fail(int i) { throw std::runtime_error(std::to_string(i)); }

void exceptions() {
  for (int i = 0; i < 20; ++i) {
    try {
      fail(i);
    } catch (const std::exception& error) {
      g_sink = g_sink + std::strlen(error.what());
    }
  }
}

/// The child goes on with what was counted, and numbers its dumps anew.
void fork() {
  strings();
  const pid_t child = ::fork();
  if (child == 0) {
    copy();
    CALLGRIND_DUMP_STATS;
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

struct Kind {
  std::string_view name;
  void (*region)();
};
constexpr Kind kinds[] = {{"allocate", allocate}, {"strings", strings},       {"copy", copy}, {"pause", pause},
                          {"signal", signal},     {"exceptions", exceptions}, {"fork", fork}};

void nothing() {}

void measure(void (*region)()) {
  CALLGRIND_DUMP_STATS;
  region();
  CALLGRIND_DUMP_STATS;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view wanted = count == 2 ? arguments[1] : "";
  for (const auto& [name, region] : kinds) {
    if (name != wanted) continue;
    CALLGRIND_START_INSTRUMENTATION;
    measure(nothing);
    region();
    measure(region);
    measure(region);
    return 0;
  }
  return 2;
}
