#include "notes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "libcxx.h"

namespace tally::preload {
namespace {

constexpr std::size_t kMost = 1U << 16;
std::array<void*, kMost> g_benchmarks;  ///< Pages that are not used take no room.
std::size_t g_benchmark_count = 0;

/// In all releases: two destructors come before it.
constexpr std::size_t kRun = 2;
using Run = void (*)(void* benchmark, void* state);
using Functions = void**;

std::map<Functions, Run>& own_functions() {
  static auto* const all = new std::map<Functions, Run>;
  return *all;
}
void (*g_note)(const void* state) = nullptr;

Functions functions_of(const void* benchmark) {
  Functions functions = nullptr;
  std::memcpy(static_cast<void*>(&functions), benchmark, sizeof functions);
  return functions;
}

void run_and_note(void* benchmark, void* state) {
  own_functions().at(functions_of(benchmark))(benchmark, state);
  g_note(state);
}

bool make_writable(void* place) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(place) & (page - 1);
  return ::mprotect(static_cast<char*>(place) - offset, offset + sizeof(void*), PROT_READ | PROT_WRITE) == 0;
}

/// The library's Counter, in all releases.
struct TheirCounter {
  double value;
  std::uint32_t flags;
  std::int32_t base;
};
using TheirCounters = std::map<std::string, TheirCounter>;

/// Where State has them, in all releases since 1.6: behind the executions, three short members, the arguments and the
/// complexity's n.
constexpr std::size_t kArguments = 32;
constexpr std::size_t kCounters = 64;

/// Whether there is a vector of whole numbers; both libraries lay it out so.
bool has_arguments(const char* state) {
  std::uintptr_t arguments[3];
  std::memcpy(&arguments[0], state + kArguments, sizeof arguments);
  return arguments[0] <= arguments[1] && arguments[1] <= arguments[2] && (arguments[1] - arguments[0]) % 8 == 0;
}

/// Whether there is a tree of GCC's library that is empty or has a root.
bool has_gccs_counters(const char* state) {
  std::uintptr_t tree[6];  // nothing, the header's colour, root, first, last, their number
  std::memcpy(&tree[0], state + kCounters, sizeof tree);
  const std::uintptr_t header = reinterpret_cast<std::uintptr_t>(state) + kCounters + sizeof(void*);
  return tree[5] == 0 ? tree[2] == 0 && tree[3] == header && tree[4] == header
                      : tree[2] != 0 && tree[3] != header && tree[5] < kMost;
}

}  // namespace

void remember(void* benchmark) {
  if (g_benchmark_count < kMost) g_benchmarks[g_benchmark_count++] = benchmark;
}

void watch_ends(void (*note)(const void* state)) {
  g_note = note;
  for (std::size_t i = 0; i < g_benchmark_count; ++i) {
    const Functions functions = functions_of(g_benchmarks[i]);
    if (own_functions().count(functions) > 0) continue;
    void* const place = static_cast<void*>(&functions[kRun]);
    if (!make_writable(place)) continue;
    Run run = nullptr;
    std::memcpy(static_cast<void*>(&run), place, sizeof run);
    own_functions()[functions] = run;
    functions[kRun] = reinterpret_cast<void*>(run_and_note);
  }
}

void add_counters(const void* state, detail::Notes& notes) {
  const char* const start = static_cast<const char*>(state);
  if (!has_arguments(start) || !has_gccs_counters(start)) return;
  for (const auto& [name, counter] : *reinterpret_cast<const TheirCounters*>(start + kCounters))
    notes.counters[name] = {counter.value, counter.flags, counter.base};
}

void add_counters_of_libcxx(const void* state, detail::Notes& notes) {
  const char* const start = static_cast<const char*>(state);
  if (!has_arguments(start) || !libcxx::looks_like_a_map(start + kCounters, kMost)) return;
  libcxx::for_each_entry(start + kCounters, [&](const char* entry) {
    TheirCounter counter{};
    std::memcpy(&counter, entry + libcxx::kStringSize, sizeof counter);
    notes.counters[libcxx::text_of(entry)] = {counter.value, counter.flags, counter.base};
  });
}

}  // namespace tally::preload
