/// Put before Google Benchmark in a program that is already built: makes it a host of its own.
///
/// The library's functions are taken over (see library.h), those of release 1.7 and of 1.9: its State begins
/// and ends a measured loop in two functions, which here start and finish a region; its constructor takes how many
/// executions there are. Of its classes no more is known than where State, whose loop is inline in the program, keeps
/// three numbers (checked in each call), and that a reporter begins with its virtual functions. A benchmark is run by
/// the library itself, by its filter, in a call of its own for each region; what its loop's own control costs, 2 to 5
/// instructions an execution, is inline in the program and stays in.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "asked.h"
#include "benchmark_library.h"
#include "call.h"
#include "callgrind.h"
#include "libcxx.h"
#include "library.h"
#include "notes.h"
#include "registry.h"
#include "served.h"
#include "shared_page.h"
#include "symbols.h"

extern "C" {
void tally_pause(void* state) asm(GB_PAUSE);
void tally_resume(void* state) asm(GB_RESUME);
}

namespace {

using tally::detail::Call;
using tally::preload::real;

Call* g_call = nullptr;  ///< That the library runs now; null while it lists.
/// Benchmarks of the same name that come before the one that is meant: the library runs all that a name matches.
int g_namesakes = 0;
bool g_is_namesake = false;   ///< The last State that was made is of one of these.
Call* g_next_call = nullptr;  ///< For when they are over.
bool g_in_loop = false;
bool g_takes_notes = false;  ///< In a process that measures nothing.
bool g_takes_times = false;  ///< That functions set. Where instructions are counted, the library takes them itself.
bool g_time_is_set = false;  ///< By the function's last call.
int g_probe = -1;            ///< Where the number goes that the library asks for, in a process that finds it out.
bool g_state_made = false;   ///< For the call, with its number of executions.

bool is_asked() { return tally::embedded::asked() != tally::embedded::Asked::nothing; }

__attribute__((constructor)) void take_over(int argc, char** argv, char** /*environment*/) {
  if (!is_asked() || argc <= 0) return;
  tally::preload::take_over(argv[0]);
  tally::preload::give_back(GB_LABEL);
  g_takes_times = !tally::host::callgrind::running();
  if (!g_takes_times) tally::preload::give_back(GB_SET_TIME);
}

/// "f/manual_time/threads:2"
bool says_manual_time(const std::string& name) {
  constexpr std::string_view kWord = "/manual_time";
  const std::size_t at = name.rfind(kWord);
  if (at == std::string::npos) return false;
  const std::size_t end = at + kWord.size();
  return end == name.size() || name[end] == '/';
}

/// "f/iterations:4/repeats:2": what the library's name of a benchmark says by this word.
std::optional<std::uint64_t> number_after(const std::string& name, std::string_view word) {
  const std::size_t at = name.rfind(word);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t number = 0;
  const char* const begin = name.data() + at + word.size();
  const char* const end = name.data() + name.size();
  const auto [after, error] = std::from_chars(begin, end, number);
  return error == std::errc() && (after == end || *after == '/') ? std::optional(number) : std::nullopt;
}

/// `namesakes`: before it, of the same name.
void run_named(Call& call, const std::string& name, int namesakes) {
  if (number_after(name, "/threads:").value_or(1) > 1) {
    call.skip(
        "runs in threads, which a program that is already built cannot be counted in: build it with "
        "tallymark::benchmark",
        true);
    return;
  }
  g_next_call = &call;
  g_namesakes = namesakes;
  g_in_loop = false;
  g_state_made = false;
  g_time_is_set = false;
  tally::preload::run_named(name);
  g_call = nullptr;
  g_next_call = nullptr;
  // The name may be the author's own, or the release another one.
  if (g_takes_times && says_manual_time(name) && call.opened() && !g_time_is_set) {
    call.skip(
        "its name says manual_time, and no call of SetIterationTime() was seen: if it calls that, build the program "
        "with tallymark::benchmark; if not, give it another name",
        true);
  }
}

void make_pauses(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    tally_pause(nullptr);
    tally_resume(nullptr);
  }
}

/// Nothing of the program's own loop is known: what is taken off is a region's beginning and end, and its pauses.
void empty(Call* call, unsigned pauses) {
  g_call = call;
  while (const unsigned long long iterations = tally::detail::next(call)) {
    g_in_loop = true;
    if (pauses > 0) {
      for (unsigned long long i = 0; i < iterations; ++i) make_pauses(pauses);
    }
    g_in_loop = false;
  }
  g_call = nullptr;
}

constexpr std::string_view kIterations = "/iterations:";

/// What the library asks of the first State of a benchmark, found out in a process of its own, in which its function is
/// not called. `named`, where its author has fixed it; 0 where the name means something else, such as an argument.
std::uint64_t fixed_iterations(const std::string& name, std::uint64_t named, int namesakes) {
  int answer[2];
  if (::pipe(answer) != 0) return named;
  const pid_t pid = ::fork();
  if (pid == 0) {
    tally::host::callgrind::after_fork();
    g_probe = answer[1];
    g_namesakes = namesakes;
    tally::preload::run_named(name);
    ::_exit(1);
  }
  ::close(answer[1]);
  std::int64_t asked = 0;
  const bool known = pid > 0 && ::read(answer[0], &asked, sizeof asked) == sizeof asked;
  ::close(answer[0]);
  if (pid > 0) {
    ::kill(pid, SIGKILL);  // By itself, Valgrind would write a dump of it.
    ::waitpid(pid, nullptr, 0);
  }
  return known && static_cast<std::uint64_t>(asked) == named ? named : 0;
}

/// Of a further call of the program's, those names that are new. Returns how many names there are.
std::size_t make_known(int call_of_program) {
  const std::string names = tally::preload::list_of_names();
  tally::preload::run_shortest();
  static std::map<std::string, int> known;
  std::map<std::string, int> namesakes;
  std::size_t number = 0;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find('\n', at), names.size());
    const std::string name = names.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    ++number;
    const int before = namesakes[name]++;
    if (call_of_program > 1 && known[name] > before) continue;
    tally::embedded::Benchmark benchmark;
    benchmark.name = name;
    tally::embedded::add_call(benchmark.name, call_of_program);
    benchmark.empty_loop = empty;
    benchmark.manual_time = says_manual_time(name);
    if (const auto named = number_after(name, kIterations); named && call_of_program == 1)
      benchmark.iterations = fixed_iterations(name, *named, before);
    benchmark.label = benchmark.iterations > 0 ? "includes the loop's own control, and what only a first execution does"
                                               : "includes the loop's own control";
    benchmark.function = [name, before](Call& call) { run_named(call, name, before); };
    tally::embedded::add_foreign(std::move(benchmark), before + 1);
  }
  // Not where cases are served: it would move their heap.
  if (tally::embedded::asked() == tally::embedded::Asked::list)
    for (const auto& [name, count] : namesakes) known[name] = std::max(known[name], count);
  return number;
}

/// The process measures nothing any more.
void take_notes() {
  g_takes_notes = true;
  tally::preload::take_again(GB_LABEL);
  tally::preload::watch_ends([](const void* state) {
    if (g_call == nullptr) return;
    if (tally::preload::find(GB_RUN_ANY GB_TEXT) != nullptr) tally::preload::add_counters(state, g_call->notes());
    if (tally::preload::find(GB_RUN_ANY GB_LIBCXX_TEXT("S0")) != nullptr)
      tally::preload::add_counters_of_libcxx(state, g_call->notes());
  });
}

/// Where the program is to serve, this does so and does not return. How many benchmarks there are, where it is to list
/// them: none is to run. Not within itself: the library calls its own functions by their names, too.
std::optional<std::size_t> serve_if_asked() {
  static bool is_within = false;
  static int call = 0;
  if (!is_asked() || is_within) return std::nullopt;
  is_within = true;
  // The library's functions of this name call each other.
  tally::preload::give_back(GB_RUN_ANY);
  if (++call > 1) tally::embedded::let_files_be_opened(true);
  const std::size_t number = make_known(call);
  if (call > 1) tally::embedded::let_files_be_opened(false);
  tally::embedded::note_apart(take_notes);
  tally::embedded::serve_call_if_asked();
  tally::preload::take_again(GB_RUN_ANY);
  is_within = false;
  return number;
}

/// The library makes a State for each of a function's calls. A second one would be for a longer run.
std::int64_t iterations_of(std::int64_t asked) {
  if (g_namesakes > 0) {
    --g_namesakes;
    g_is_namesake = true;
    return asked;
  }
  g_is_namesake = false;
  if (g_next_call != nullptr) g_call = std::exchange(g_next_call, nullptr);
  if (g_probe >= 0) {
    if (::write(g_probe, &asked, sizeof asked) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  if (g_call == nullptr) return asked;
  g_state_made = true;
  if (g_call->opened()) tally::preload::end_run();
  return static_cast<std::int64_t>(g_call->promise());
}

/// How State begins, in all releases since 1.5: the executions left, those that a last batch made too many, and those
/// that were requested.
struct Loop {
  std::int64_t left, leftover, requested;
};

Loop loop_of(const void* state) {
  Loop loop{};
  std::memcpy(&loop, state, sizeof loop);
  return loop;
}

}  // namespace

#define TAKEN_OVER __attribute__((visibility("default"), used))

extern "C" {

TAKEN_OVER void tally_start(void* state) asm(GB_START);
void tally_start(void* state) {
  {
    const tally::host::Unwatched timer;
    real<void>(GB_START, state);
  }
  // The library has made its State in another way than any that is known here.
  if (g_next_call != nullptr && g_namesakes == 0 && !g_is_namesake) g_call = std::exchange(g_next_call, nullptr);
  if (g_call == nullptr) return;
  if (!g_state_made || loop_of(state).requested != static_cast<std::int64_t>(g_call->promise())) {
    // Its loop would have another number of executions than is counted.
    g_call->skip("this release of Google Benchmark is not known: build the program with tallymark::benchmark", true);
    return;
  }
  g_call->open(empty, 1);
  g_in_loop = g_call->wait() > 0;
  if (g_in_loop) g_call->start();
}

TAKEN_OVER void tally_finish(void* state) asm(GB_FINISH);
void tally_finish(void* state) {
  if (g_in_loop) {
    // A loop in batches that do not divide the number makes more executions than were requested.
    const Loop loop = loop_of(state);
    if (loop.leftover != 0) g_call->executed(static_cast<std::uint64_t>(loop.requested + loop.leftover));
    g_call->wait();
  }
  g_in_loop = false;
  const tally::host::Unwatched timer;
  real<void>(GB_FINISH, state);
}

TAKEN_OVER void tally_pause(void* state) {
  if (g_in_loop) {
    g_call->pause();
  } else {
    const tally::host::Unwatched timer;
    real<void>(GB_PAUSE, state);
  }
}

TAKEN_OVER void tally_resume(void* state) {
  if (g_in_loop) {
    g_call->resume();
  } else {
    const tally::host::Unwatched timer;
    real<void>(GB_RESUME, state);
  }
}

TAKEN_OVER void tally_set_time(void* state, double seconds) asm(GB_SET_TIME);
void tally_set_time(void* state, double seconds) {
  static void (*const own)(void*, double) =
      reinterpret_cast<void (*)(void*, double)>(tally::preload::find(GB_SET_TIME));
  if (!g_takes_times) return own(state, seconds);
  if (g_in_loop) {
    g_time_is_set = true;
    g_call->add_manual_time(seconds);
  } else {
    real<void>(GB_SET_TIME, state, seconds);
  }
}

TAKEN_OVER void tally_error(void* state, const char* why) asm(GB_ERROR GB_OF_CHARS);
void tally_error(void* state, const char* why) {
  if (g_call != nullptr) g_call->skip(why, true);
  g_in_loop = false;
  real<void>(GB_ERROR GB_OF_CHARS, state, why);
}

#define TAKE_SKIP(function, symbol, is_error)                                \
  TAKEN_OVER void function(void* state, const std::string& why) asm(symbol); \
  void function(void* state, const std::string& why) {                       \
    if (g_call != nullptr) g_call->skip(why, is_error);                      \
    g_in_loop = false;                                                       \
    real<void, void*, const std::string&>(symbol, state, why);               \
  }
TAKE_SKIP(tally_error_text, GB_ERROR GB_OF_TEXT, true)
TAKE_SKIP(tally_message, GB_MESSAGE GB_OF_TEXT, false)

#define TAKE_LIBCXX_SKIP(function, symbol, is_error)                                     \
  TAKEN_OVER void function(void* state, const void* why) asm(symbol);                    \
  void function(void* state, const void* why) {                                          \
    if (g_call != nullptr) g_call->skip(tally::preload::libcxx::text_of(why), is_error); \
    g_in_loop = false;                                                                   \
    real<void>(symbol, state, why);                                                      \
  }
TAKE_LIBCXX_SKIP(tally_libcxx_error, GB_ERROR GB_OF_LIBCXX_TEXT, true)
TAKE_LIBCXX_SKIP(tally_libcxx_message, GB_MESSAGE GB_OF_LIBCXX_TEXT, false)

/// Of the loop's instructions these are few: a function may set its label in each execution.
#define TAKE_LABEL(function, type, symbol, text)                                                                   \
  TAKEN_OVER void function(void* state, type value) asm(symbol);                                                   \
  void function(void* state, type value) {                                                                         \
    static void (*const own)(void*, type) = reinterpret_cast<void (*)(void*, type)>(tally::preload::find(symbol)); \
    if (!g_takes_notes) return own(state, value);                                                                  \
    if (g_call != nullptr) g_call->notes().label = text;                                                           \
    real<void, void*, type>(symbol, state, value);                                                                 \
  }
TAKE_LABEL(tally_label, const char*, GB_LABEL GB_OF_CHARS, value)
TAKE_LABEL(tally_label_text, const std::string&, GB_LABEL GB_OF_TEXT, value)
TAKE_LABEL(tally_libcxx_label, const void*, GB_LABEL GB_OF_LIBCXX_TEXT, tally::preload::libcxx::text_of(value))

// A benchmark, by its address or in a unique_ptr, of which the callee gets the address.
#define TAKE_REGISTER(function, symbol, benchmark)       \
  TAKEN_OVER void* function(void* given) asm(symbol);    \
  void* function(void* given) {                          \
    if (is_asked()) tally::preload::remember(benchmark); \
    return real<void*>(symbol, given);                   \
  }
TAKE_REGISTER(tally_register, GB_REGISTER, given)
TAKE_REGISTER(tally_register_owned, GB_REGISTER_OWNED("S_"), *static_cast<void**>(given))            // from 1.9.5 on
TAKE_REGISTER(tally_register_owned_internal, GB_REGISTER_OWNED("S0_"), *static_cast<void**>(given))  // from 1.9.2 on
TAKE_REGISTER(tally_register_libcxx, GB_REGISTER_LIBCXX_OWNED("S_"), *static_cast<void**>(given))
TAKE_REGISTER(tally_register_libcxx_internal, GB_REGISTER_LIBCXX_OWNED("S0_"), *static_cast<void**>(given))

#define TAKE_STATE_17(prefix, kind, parameters)                                                                     \
  TAKEN_OVER void prefix##17_##kind(void*, std::int64_t, const void*, int, int, void*, void*,                       \
                                    void*) asm(GB_STATE #kind parameters);                                          \
  void prefix##17_##kind(void* self, std::int64_t n, const void* args, int thread, int threads, void* timer,        \
                         void* manager, void* counters) {                                                           \
    real<void>(GB_STATE #kind parameters, self, iterations_of(n), args, thread, threads, timer, manager, counters); \
  }
#define TAKE_STATE_18(prefix, kind, parameters)                                                                   \
  TAKEN_OVER void prefix##18_##kind(void*, const void*, std::int64_t, const void*, int, int, void*, void*,        \
                                    void*) asm(GB_STATE #kind parameters);                                        \
  void prefix##18_##kind(void* self, const void* name, std::int64_t n, const void* args, int thread, int threads, \
                         void* timer, void* manager, void* counters) {                                            \
    real<void>(GB_STATE #kind parameters, self, name, iterations_of(n), args, thread, threads, timer, manager,    \
               counters);                                                                                         \
  }
#define TAKE_STATE_19(prefix, kind, parameters)                                                                   \
  TAKEN_OVER void prefix##19_##kind(void*, const void*, std::int64_t, const void*, int, int, void*, void*, void*, \
                                    void*) asm(GB_STATE #kind parameters);                                        \
  void prefix##19_##kind(void* self, const void* name, std::int64_t n, const void* args, int thread, int threads, \
                         void* timer, void* manager, void* counters, void* profiler) {                            \
    real<void>(GB_STATE #kind parameters, self, name, iterations_of(n), args, thread, threads, timer, manager,    \
               counters, profiler);                                                                               \
  }
#define TAKE_STATE(prefix, kind, unnamed, named) \
  TAKE_STATE_17(prefix, kind, unnamed)           \
  TAKE_STATE_18(prefix, kind, named)             \
  TAKE_STATE_19(prefix, kind, named GB_PROFILER_MANAGER)
TAKE_STATE(tally_state, C1, GB_STATE_17, GB_STATE_18)
TAKE_STATE(tally_state, C2, GB_STATE_17, GB_STATE_18)
TAKE_STATE(tally_libcxx_state, C1, GB_LIBCXX_STATE_17, GB_LIBCXX_STATE_18)
TAKE_STATE(tally_libcxx_state, C2, GB_LIBCXX_STATE_17, GB_LIBCXX_STATE_18)

#define COMMA ,
// NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters, which have theirs.
#define TAKE_RUN(function, symbol, parameters, types, arguments) \
  TAKEN_OVER std::size_t function types asm(symbol);             \
  std::size_t function parameters {                              \
    if (const auto listed = serve_if_asked()) return *listed;    \
    return real<std::size_t>(symbol arguments);                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
TAKE_RUN(tally_run, GB_RUN, (), (), )
TAKE_RUN(tally_run_s, GB_RUN_ANY GB_TEXT, (void* a), (void*), COMMA a)
TAKE_RUN(tally_run_r, GB_RUN_REPORTER, (void* a), (void*), COMMA a)
TAKE_RUN(tally_run_rs, GB_RUN_REPORTER GB_TEXT, (void* a, void* b), (void*, void*), COMMA a COMMA b)
TAKE_RUN(tally_run_rr, GB_RUN_REPORTERS, (void* a, void* b), (void*, void*), COMMA a COMMA b)
TAKE_RUN(tally_run_rrs, GB_RUN_REPORTERS GB_TEXT, (void* a, void* b, void* c), (void*, void*, void*),
         COMMA a COMMA b COMMA c)
TAKE_RUN(tally_libcxx_run_s, GB_RUN_ANY GB_LIBCXX_TEXT("S0"), (void* a), (void*), COMMA a)
TAKE_RUN(tally_libcxx_run_rs, GB_RUN_REPORTER GB_LIBCXX_TEXT("S2"), (void* a, void* b), (void*, void*), COMMA a COMMA b)
TAKE_RUN(tally_libcxx_run_rrs, GB_RUN_REPORTERS GB_LIBCXX_TEXT("S2"), (void* a, void* b, void* c),
         (void*, void*, void*), COMMA a COMMA b COMMA c)

/// From 1.9.3 on: executes the program again, out of Valgrind, where addresses are randomised.
TAKEN_OVER void tally_reenter(int, char**) asm(GB_REENTER);
void tally_reenter(int argc, char** argv) {
  if (!is_asked()) real<void>(GB_REENTER, argc, argv);
}
}
