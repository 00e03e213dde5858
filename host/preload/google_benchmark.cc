/// Put before Google Benchmark in a program that is already built: makes it a host of its own.
///
/// The library's functions are taken over (see library.h), those of release 1.7 and of 1.9: its State begins
/// and ends a measured loop in two functions, which here start and finish a region; its constructor takes how many
/// executions there are. Of its classes no more is known than where State, whose loop is inline in the program, keeps
/// three numbers (checked in each call), and that a reporter begins with its virtual functions. A benchmark is run by
/// the library itself, by its filter, in a call of its own for each region; what its loop's own control costs, 2 to 5
/// instructions an execution, is inline in the program and stays in.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "asked.h"
#include "call.h"
#include "callgrind.h"
#include "libcxx.h"
#include "library.h"
#include "notes.h"
#include "registry.h"
#include "served.h"
#include "shared_page.h"

extern "C" {
void tally_pause(void* state) asm("_ZN9benchmark5State11PauseTimingEv");
void tally_resume(void* state) asm("_ZN9benchmark5State12ResumeTimingEv");
}

#define TEXT "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define LIBCXX_TEXT(std) "NSt3__112basic_stringIcN" std "_11char_traitsIcEEN" std "_9allocatorIcEEEE"

namespace {

using tally::detail::Call;

Call* g_call = nullptr;  ///< That the library runs now; null while it lists.
/// Benchmarks of the same name that come before the one that is meant: the library runs all that a name matches.
int g_namesakes = 0;
bool g_is_namesake = false;   ///< The last State that was made is of one of these.
Call* g_next_call = nullptr;  ///< For when they are over.
bool g_in_loop = false;
bool g_takes_notes = false;  ///< In a process that measures nothing.
int g_probe = -1;            ///< Where the number goes that the library asks for, in a process that finds it out.
bool g_state_made = false;   ///< For the call, with its number of executions.
std::jmp_buf g_after_call;

/// Calls the library's own function.
template <typename Result, typename... Parameters>
Result real(const char* name, Parameters... parameters) {
  void* const found = tally::preload::find(name);
  if (found == nullptr) {
    std::fprintf(stderr,
                 "tallymark: this release of Google Benchmark has no %s: build the program with tallymark::benchmark\n",
                 name);
    std::exit(2);
  }
  const tally::preload::Untaken untaken(found);
  return reinterpret_cast<Result (*)(Parameters...)>(found)(parameters...);
}

bool is_asked() { return tally::embedded::asked() != tally::embedded::Asked::nothing; }

constexpr const char* kSetLabel = "_ZN9benchmark5State8SetLabel";

__attribute__((constructor)) void take_over(int argc, char** argv, char** /*environment*/) {
  if (!is_asked() || argc <= 0) return;
  tally::preload::take_over(argv[0]);
  tally::preload::give_back(kSetLabel);
}

constexpr const char* kInitialize = "_ZN9benchmark10InitializeEPiPPcPFvvE";
constexpr const char* kInitialize16 = "_ZN9benchmark10InitializeEPiPPc";
constexpr const char* kRun = "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterE";

/// A reporter that reports nothing. The library's own would be destroyed at the end of each run, and in 1.7 it is a
/// static object. Its virtual functions are ReportContext, which returns true, three that return nothing, and two
/// destructors, which nobody calls; since 2026 List comes before these, which is to print the names.
class SilentReporter {
 public:
  SilentReporter() {
    // Sets the streams that the names are listed on. The class is abstract: there is no other constructor.
    real<void, void*>("_ZN9benchmark17BenchmarkReporterC2Ev", this);
    functions_ = &kFunctions[0];
  }
  static SilentReporter& instance() {
    static auto* const reporter = new SilentReporter;
    return *reporter;
  }

 private:
  static bool yes(void* /*self*/, const void* /*argument*/) { return true; }
  static bool list(void* self, const void* benchmarks) {
    constexpr const char* kList =
        "_ZN9benchmark17BenchmarkReporter4ListERKSt6vectorINS_8internal17BenchmarkInstanceESaIS3_EE";
    constexpr const char* kLibcxxList =
        "_ZN9benchmark17BenchmarkReporter4ListERKNSt3__16vectorINS_8internal17BenchmarkInstanceENS1_9allocatorIS4_EEEE";
    real<void>(tally::preload::find(kList) != nullptr ? kList : kLibcxxList, self, benchmarks);
    return true;
  }
  static constexpr bool (*kFunctions[])(void*, const void*) = {yes, yes, yes, yes, list, yes, yes, yes};

  bool (*const* functions_)(void*, const void*) = nullptr;
  [[maybe_unused]] void* streams_[2] = {};  ///< Read by the library.
  [[maybe_unused]] void* room_[6] = {};     ///< For members of releases to come.
};

/// Runs what the flags say.
void run_specified() {
  if (setjmp(g_after_call) == 0) real<std::size_t, void*>(kRun, &SilentReporter::instance());
}

/// Sets the library's flags, as its command line does.
void set_flag(const std::string& flag) {
  static std::string program = "benchmark";  // the library keeps it
  std::string copy = flag;
  char* argv[] = {program.data(), copy.data(), nullptr};
  int argc = 2;
  void (*const no_help)() = nullptr;
  if (tally::preload::find(kInitialize) != nullptr) {
    real<void>(kInitialize, &argc, &argv[0], no_help);
  } else {
    real<void>(kInitialize16, &argc, &argv[0]);
  }
}

/// Releases from 1.8 on print a warning where a time has no unit; older ones know none.
bool wants_unit_of_time() {
  constexpr const char* kVersion = "_ZN9benchmark19GetBenchmarkVersion";
  return tally::preload::find((std::string(kVersion) + "B5cxx11Ev").c_str()) != nullptr ||
         tally::preload::find((std::string(kVersion) + "Ev").c_str()) != nullptr;
}

/// What the library prints for --benchmark_list_tests.
std::string list_of_names() {
  const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
  const int memory = ::memfd_create("list", MFD_CLOEXEC);
  if (kept < 0 || memory < 0) std::exit(3);
  std::cout.flush();
  ::dup2(memory, STDOUT_FILENO);
  set_flag("--benchmark_list_tests=true");
  run_specified();
  std::cout.flush();
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  set_flag("--benchmark_list_tests=false");
  std::string text(static_cast<std::size_t>(::lseek(memory, 0, SEEK_END)), '\0');
  const ssize_t n = ::pread(memory, text.data(), text.size(), 0);
  ::close(memory);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

/// As a regular expression that matches it alone, for std::regex and for regcomp: a bracket that closes what none has
/// opened is itself, and escaped it is an error to one of them.
std::string pattern_of(const std::string& name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (std::strchr("\\^$.|?*+()[{", c) != nullptr) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
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
  set_flag("--benchmark_filter=" + pattern_of(name));
  run_specified();
  g_call = nullptr;
  g_next_call = nullptr;
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
    set_flag("--benchmark_filter=" + pattern_of(name));
    run_specified();
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

void make_known() {
  const std::string names = list_of_names();
  set_flag(wants_unit_of_time() ? "--benchmark_min_time=0s" : "--benchmark_min_time=0");
  set_flag("--benchmark_repetitions=1");
  std::map<std::string, int> namesakes;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find('\n', at), names.size());
    const std::string name = names.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    const int before = namesakes[name]++;
    tally::embedded::Benchmark benchmark;
    benchmark.name = name;
    benchmark.empty_loop = empty;
    if (const auto number = number_after(name, kIterations))
      benchmark.iterations = fixed_iterations(name, *number, before);
    benchmark.label = benchmark.iterations > 0 ? "includes the loop's own control, and what only a first execution does"
                                               : "includes the loop's own control";
    benchmark.function = [name, before](Call& call) { run_named(call, name, before); };
    tally::embedded::add_foreign(std::move(benchmark), before + 1);
  }
}

/// The process measures nothing any more.
void take_notes() {
  g_takes_notes = true;
  tally::preload::take_again(kSetLabel);
  tally::preload::watch_ends([](const void* state) {
    constexpr const char* kOfGcc = "_ZN9benchmark22RunSpecifiedBenchmarksE" TEXT;
    constexpr const char* kOfLibcxx = "_ZN9benchmark22RunSpecifiedBenchmarksE" LIBCXX_TEXT("S0");
    if (g_call == nullptr) return;
    if (tally::preload::find(kOfGcc) != nullptr) tally::preload::add_counters(state, g_call->notes());
    if (tally::preload::find(kOfLibcxx) != nullptr) tally::preload::add_counters_of_libcxx(state, g_call->notes());
  });
}

/// Once: the library calls its own functions by their names, too.
void serve_if_asked() {
  static bool is_first = true;
  if (!is_asked() || !is_first) return;
  is_first = false;
  // The library's functions of this name call each other.
  tally::preload::give_back("_ZN9benchmark22RunSpecifiedBenchmarksE");
  make_known();
  tally::embedded::note_apart(take_notes);
  tally::embedded::serve_if_asked();
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
  if (g_call->opened()) std::longjmp(g_after_call, 1);
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

#define STATE_17 \
  "El"           \
  "RKSt6vectorIlSaIlEEiiPNS_8internal11ThreadTimerEPNS6_13ThreadManagerEPNS6_23PerfCountersMeasurementE"
#define STATE_18                                                                                           \
  "ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEElRKSt6vectorIlSaIlEEiiPNS_8internal11ThreadTimerE" \
  "PNSC_13ThreadManagerEPNSC_23PerfCountersMeasurementE"
#define LIBCXX_STATE_17                                                                        \
  "ElRKNSt3__16vectorIlNS1_9allocatorIlEEEEiiPNS_8internal11ThreadTimerEPNS8_13ThreadManagerE" \
  "PNS8_23PerfCountersMeasurementE"
#define LIBCXX_STATE_18                                                                                        \
  "ENSt3__112basic_stringIcNS1_11char_traitsIcEENS1_9allocatorIcEEEElRKNS1_6vectorIlNS5_IlEEEEiiPNS_8internal" \
  "11ThreadTimerEPNSD_13ThreadManagerEPNSD_23PerfCountersMeasurementE"
#define PROFILER_MANAGER "PNS_15ProfilerManagerE"

extern "C" {

TAKEN_OVER void tally_start(void* state) asm("_ZN9benchmark5State16StartKeepRunningEv");
void tally_start(void* state) {
  {
    const tally::host::Unwatched timer;
    real<void>("_ZN9benchmark5State16StartKeepRunningEv", state);
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

TAKEN_OVER void tally_finish(void* state) asm("_ZN9benchmark5State17FinishKeepRunningEv");
void tally_finish(void* state) {
  if (g_in_loop) {
    // A loop in batches that do not divide the number makes more executions than were requested.
    const Loop loop = loop_of(state);
    if (loop.leftover != 0) g_call->executed(static_cast<std::uint64_t>(loop.requested + loop.leftover));
    g_call->wait();
  }
  g_in_loop = false;
  const tally::host::Unwatched timer;
  real<void>("_ZN9benchmark5State17FinishKeepRunningEv", state);
}

TAKEN_OVER void tally_pause(void* state) {
  if (g_in_loop) {
    g_call->pause();
  } else {
    const tally::host::Unwatched timer;
    real<void>("_ZN9benchmark5State11PauseTimingEv", state);
  }
}

TAKEN_OVER void tally_resume(void* state) {
  if (g_in_loop) {
    g_call->resume();
  } else {
    const tally::host::Unwatched timer;
    real<void>("_ZN9benchmark5State12ResumeTimingEv", state);
  }
}

TAKEN_OVER void tally_error(void* state, const char* why) asm("_ZN9benchmark5State13SkipWithErrorEPKc");
void tally_error(void* state, const char* why) {
  if (g_call != nullptr) g_call->skip(why, true);
  g_in_loop = false;
  real<void>("_ZN9benchmark5State13SkipWithErrorEPKc", state, why);
}

#define TAKE_SKIP(function, symbol, is_error)                                \
  TAKEN_OVER void function(void* state, const std::string& why) asm(symbol); \
  void function(void* state, const std::string& why) {                       \
    if (g_call != nullptr) g_call->skip(why, is_error);                      \
    g_in_loop = false;                                                       \
    real<void, void*, const std::string&>(symbol, state, why);               \
  }
TAKE_SKIP(tally_error_text, "_ZN9benchmark5State13SkipWithErrorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
          true)
TAKE_SKIP(tally_message, "_ZN9benchmark5State15SkipWithMessageERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
          false)

#define TAKE_LIBCXX_SKIP(function, name, is_error)                                                               \
  TAKEN_OVER void function(void* state, const void* why) asm(                                                    \
      "_ZN9benchmark5State" name "ERKNSt3__112basic_stringIcNS1_11char_traitsIcEENS1_9allocatorIcEEEE");         \
  void function(void* state, const void* why) {                                                                  \
    if (g_call != nullptr) g_call->skip(tally::preload::libcxx::text_of(why), is_error);                         \
    g_in_loop = false;                                                                                           \
    real<void>("_ZN9benchmark5State" name "ERKNSt3__112basic_stringIcNS1_11char_traitsIcEENS1_9allocatorIcEEEE", \
               state, why);                                                                                      \
  }
TAKE_LIBCXX_SKIP(tally_libcxx_error, "13SkipWithError", true)
TAKE_LIBCXX_SKIP(tally_libcxx_message, "15SkipWithMessage", false)

/// Of the loop's instructions these are few: a function may set its label in each execution.
#define TAKE_LABEL(function, type, symbol, text)                                                                   \
  TAKEN_OVER void function(void* state, type value) asm(symbol);                                                   \
  void function(void* state, type value) {                                                                         \
    static void (*const own)(void*, type) = reinterpret_cast<void (*)(void*, type)>(tally::preload::find(symbol)); \
    if (!g_takes_notes) return own(state, value);                                                                  \
    if (g_call != nullptr) g_call->notes().label = text;                                                           \
    real<void, void*, type>(symbol, state, value);                                                                 \
  }
TAKE_LABEL(tally_label, const char*, "_ZN9benchmark5State8SetLabelEPKc", value)
TAKE_LABEL(tally_label_text, const std::string&,
           "_ZN9benchmark5State8SetLabelERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", value)
TAKE_LABEL(tally_libcxx_label, const void*,
           "_ZN9benchmark5State8SetLabelERKNSt3__112basic_stringIcNS1_11char_traitsIcEENS1_9allocatorIcEEEE",
           tally::preload::libcxx::text_of(value))

// A benchmark, by its address or in a unique_ptr, of which the callee gets the address.
#define TAKE_REGISTER(function, symbol, benchmark)       \
  TAKEN_OVER void* function(void* given) asm(symbol);    \
  void* function(void* given) {                          \
    if (is_asked()) tally::preload::remember(benchmark); \
    return real<void*>(symbol, given);                   \
  }
TAKE_REGISTER(tally_register, "_ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE", given)
#define OWNED(scope) \
  "_ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrIN" scope "9BenchmarkESt14default_deleteIS2_EE"
TAKE_REGISTER(tally_register_owned, OWNED("S_"), *static_cast<void**>(given))            // from 1.9.5 on
TAKE_REGISTER(tally_register_owned_internal, OWNED("S0_"), *static_cast<void**>(given))  // from 1.9.2 on
#define LIBCXX_OWNED(scope)                                                       \
  "_ZN9benchmark8internal25RegisterBenchmarkInternalENSt3__110unique_ptrIN" scope \
  "9BenchmarkENS1_14default_deleteIS3_EEEE"
TAKE_REGISTER(tally_register_libcxx, LIBCXX_OWNED("S_"), *static_cast<void**>(given))
TAKE_REGISTER(tally_register_libcxx_internal, LIBCXX_OWNED("S0_"), *static_cast<void**>(given))

#define TAKE_STATE_17(prefix, kind, parameters)                                                                       \
  TAKEN_OVER void prefix##17_##kind(void*, std::int64_t, const void*, int, int, void*, void*,                         \
                                    void*) asm("_ZN9benchmark5State" #kind parameters);                               \
  void prefix##17_##kind(void* self, std::int64_t n, const void* args, int thread, int threads, void* timer,          \
                         void* manager, void* counters) {                                                             \
    real<void>("_ZN9benchmark5State" #kind parameters, self, iterations_of(n), args, thread, threads, timer, manager, \
               counters);                                                                                             \
  }
#define TAKE_STATE_18(prefix, kind, parameters)                                                                    \
  TAKEN_OVER void prefix##18_##kind(void*, const void*, std::int64_t, const void*, int, int, void*, void*,         \
                                    void*) asm("_ZN9benchmark5State" #kind parameters);                            \
  void prefix##18_##kind(void* self, const void* name, std::int64_t n, const void* args, int thread, int threads,  \
                         void* timer, void* manager, void* counters) {                                             \
    real<void>("_ZN9benchmark5State" #kind parameters, self, name, iterations_of(n), args, thread, threads, timer, \
               manager, counters);                                                                                 \
  }
#define TAKE_STATE_19(prefix, kind, parameters)                                                                    \
  TAKEN_OVER void prefix##19_##kind(void*, const void*, std::int64_t, const void*, int, int, void*, void*, void*,  \
                                    void*) asm("_ZN9benchmark5State" #kind parameters);                            \
  void prefix##19_##kind(void* self, const void* name, std::int64_t n, const void* args, int thread, int threads,  \
                         void* timer, void* manager, void* counters, void* profiler) {                             \
    real<void>("_ZN9benchmark5State" #kind parameters, self, name, iterations_of(n), args, thread, threads, timer, \
               manager, counters, profiler);                                                                       \
  }
#define TAKE_STATE(prefix, kind, unnamed, named) \
  TAKE_STATE_17(prefix, kind, unnamed)           \
  TAKE_STATE_18(prefix, kind, named)             \
  TAKE_STATE_19(prefix, kind, named PROFILER_MANAGER)
TAKE_STATE(tally_state, C1, STATE_17, STATE_18)
TAKE_STATE(tally_state, C2, STATE_17, STATE_18)
TAKE_STATE(tally_libcxx_state, C1, LIBCXX_STATE_17, LIBCXX_STATE_18)
TAKE_STATE(tally_libcxx_state, C2, LIBCXX_STATE_17, LIBCXX_STATE_18)

#define COMMA ,
// NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters, which have theirs.
#define TAKE_RUN(function, symbol, parameters, types, arguments) \
  TAKEN_OVER std::size_t function types asm(symbol);             \
  std::size_t function parameters {                              \
    serve_if_asked();                                            \
    return real<std::size_t>(symbol arguments);                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
TAKE_RUN(tally_run, "_ZN9benchmark22RunSpecifiedBenchmarksEv", (), (), )
TAKE_RUN(tally_run_s, "_ZN9benchmark22RunSpecifiedBenchmarksE" TEXT, (void* a), (void*), COMMA a)
TAKE_RUN(tally_run_r, "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterE", (void* a), (void*), COMMA a)
TAKE_RUN(tally_run_rs, "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterE" TEXT, (void* a, void* b),
         (void*, void*), COMMA a COMMA b)
TAKE_RUN(tally_run_rr, "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterES1_", (void* a, void* b),
         (void*, void*), COMMA a COMMA b)
TAKE_RUN(tally_run_rrs, "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterES1_" TEXT,
         (void* a, void* b, void* c), (void*, void*, void*), COMMA a COMMA b COMMA c)
TAKE_RUN(tally_libcxx_run_s, "_ZN9benchmark22RunSpecifiedBenchmarksE" LIBCXX_TEXT("S0"), (void* a), (void*), COMMA a)
TAKE_RUN(tally_libcxx_run_rs, "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterE" LIBCXX_TEXT("S2"),
         (void* a, void* b), (void*, void*), COMMA a COMMA b)
TAKE_RUN(tally_libcxx_run_rrs, "_ZN9benchmark22RunSpecifiedBenchmarksEPNS_17BenchmarkReporterES1_" LIBCXX_TEXT("S2"),
         (void* a, void* b, void* c), (void*, void*, void*), COMMA a COMMA b COMMA c)

/// From 1.9.3 on: executes the program again, out of Valgrind, where addresses are randomised.
TAKEN_OVER void tally_reenter(int, char**) asm("_ZN9benchmark23MaybeReenterWithoutASLREiPPc");
void tally_reenter(int argc, char** argv) {
  if (!is_asked()) real<void>("_ZN9benchmark23MaybeReenterWithoutASLREiPPc", argc, argv);
}
}
