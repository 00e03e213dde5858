// Regions of known kinds for the counter and for Callgrind: what each of them is, its one argument says.

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

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

/// 100 repetitions, 7, 3 and none: what they look for is the eighth of bytes, and what differs the fourth.
void repetitions() {
  static char bytes[100];
  void* target = bytes;
  std::size_t count = sizeof bytes;
  asm volatile("rep stosb" : "+D"(target), "+c"(count) : "a"(1) : "memory");
  bytes[7] = 0;
  target = bytes;
  count = sizeof bytes;
  asm volatile("repne scasb" : "+D"(target), "+c"(count) : "a"(0) : "memory", "cc");
  const void* one = bytes;
  const void* other = bytes + 4;
  count = sizeof bytes - 4;
  asm volatile("repe cmpsb" : "+D"(one), "+S"(other), "+c"(count) : : "memory", "cc");
  count = 0;
  asm volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(1) : "memory");
  asm volatile("rep nop");  // pause, which repeats nothing
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

/// The child continues with what was counted, and numbers its dumps anew.
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

/// A thread that collects, pauses and resumes, and waits there until it is to end.
class Worker {
 public:
  void begin() {
    if (::pipe(done_) != 0 || ::pipe(end_) != 0) std::abort();
    thread_ = std::thread([this] {
      strings();
      CALLGRIND_TOGGLE_COLLECT;
      allocate();
      char byte = 0;
      if (::write(done_[1], &byte, 1) != 1) std::abort();
      CALLGRIND_TOGGLE_COLLECT;
      if (::read(end_[0], &byte, 1) != 1) std::abort();
    });
    char byte = 0;
    if (::read(done_[0], &byte, 1) != 1) std::abort();
    ::poll(nullptr, 0, 200);  // until it waits
  }
  void end() {
    if (::write(end_[1], "", 1) != 1) std::abort();
    thread_.join();
    for (const int fd : {done_[0], done_[1], end_[0], end_[1]}) ::close(fd);
  }

 private:
  std::thread thread_;
  int done_[2] = {};
  int end_[2] = {};
};

/// The main thread does not collect while it dumps, and so to the last.
void threads() {
  static Worker worker;
  static bool works = false;
  if (works) {
    worker.end();
  } else {
    CALLGRIND_TOGGLE_COLLECT;
  }
  works = true;
  worker.begin();
}

/// What is executed in between is not instrumented.
void stop() {
  strings();
  CALLGRIND_STOP_INSTRUMENTATION;
  allocate();
  CALLGRIND_START_INSTRUMENTATION;
  copy();
}

[[gnu::noinline]] std::size_t fibonacci(std::size_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

std::size_t odd(std::size_t n);
[[gnu::noinline]] std::size_t even(std::size_t n) {
  if (n > 0) g_sink = g_sink + odd(n - 1);
  return n;
}
[[gnu::noinline]] std::size_t odd(std::size_t n) {
  if (n > 0) g_sink = g_sink + even(n - 1);
  return n + 1;
}

void recursion() { g_sink = g_sink + fibonacci(12) + even(21); }

std::size_t pong(std::size_t n);
[[gnu::noinline]] std::size_t ping(std::size_t n) {
  g_sink = g_sink + 1;
  if (n == 0) return 1;
  [[clang::musttail]] return pong(n - 1);
}
[[gnu::noinline]] std::size_t pong(std::size_t n) {
  g_sink = g_sink + 2;
  if (n == 0) return 2;
  [[clang::musttail]] return ping(n - 1);
}

/// Functions that end by jumping to another one.
void tails() {
  for (std::size_t i = 0; i < 30; ++i) g_sink = g_sink + ping(i);
  g_sink = g_sink + fibonacci(3);
}

void many_tails() { g_sink = g_sink + ping(50'001); }

std::jmp_buf g_place;

[[gnu::noinline]] void leap_from(std::size_t depth) {
  if (depth == 0) std::longjmp(g_place, 1);
  leap_from(depth - 1);
  g_sink = g_sink + 1;
}

[[gnu::noinline]] void leap(std::size_t depth) {
  if (setjmp(g_place) == 0) leap_from(depth);
  g_sink = g_sink + fibonacci(3);
}

void longjmp() {
  for (std::size_t depth = 0; depth < 20; ++depth) leap(depth);
}

/// Called by the C library.
void callbacks() {
  int numbers[200];
  for (int i = 0; i < 200; ++i) numbers[i] = i * 7919 % 201;
  std::qsort(numbers, 200, sizeof(int), [](const void* one, const void* other) {
    return *static_cast<const int*>(one) - *static_cast<const int*>(other);
  });
  g_sink = g_sink + static_cast<std::size_t>(numbers[3]);
}

/// A handler that does not return.
void leave_handler() {
  std::signal(SIGUSR2, [](int) { std::longjmp(g_place, 1); });
  for (std::size_t i = 0; i < 20; ++i) {
    if (setjmp(g_place) == 0) std::raise(SIGUSR2);
    sigset_t all{};
    ::sigfillset(&all);
    ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
    g_sink = g_sink + fibonacci(3);
  }
}

struct Kind {
  std::string_view name;
  void (*region)();
};
constexpr Kind kKinds[] = {{"allocate", allocate},
                           {"strings", strings},
                           {"copy", copy},
                           {"pause", pause},
                           {"signal", signal},
                           {"exceptions", exceptions},
                           {"fork", fork},
                           {"threads", threads},
                           {"stop", stop},
                           {"repetitions", repetitions},
                           {"recursion", recursion},
                           {"tails", tails},
                           {"many_tails", many_tails},
                           {"longjmp", longjmp},
                           {"callbacks", callbacks},
                           {"leave_handler", leave_handler}};

void nothing() {}

void measure(void (*region)()) {
  CALLGRIND_DUMP_STATS_AT("before");
  region();
  CALLGRIND_DUMP_STATS;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view wanted = count == 2 ? arguments[1] : "";
  for (const auto& [name, region] : kKinds) {
    if (name != wanted) continue;
    CALLGRIND_START_INSTRUMENTATION;
    measure(nothing);
    region();
    measure(region);
    measure(region);
    std::_Exit(0);  // a thread may be left
  }
  return 2;
}
