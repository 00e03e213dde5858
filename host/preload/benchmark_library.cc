#include "benchmark_library.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csetjmp>
#include <cstring>
#include <iostream>

#include "symbols.h"

namespace tally::preload {

namespace {

std::jmp_buf g_after_run;

/// A reporter that reports nothing. The library's own would be destroyed at the end of each run, and in 1.7 it is a
/// static object. Its virtual functions are ReportContext, which returns true, three that return nothing, and two
/// destructors, which nobody calls; since 2026 List comes before these, which is to print the names.
class SilentReporter {
 public:
  SilentReporter() {
    // Sets the streams that the names are listed on. The class is abstract: there is no other constructor.
    real<void, void*>(GB_REPORTER_MADE, this);
    functions_ = &kFunctions[0];
  }
  static SilentReporter& instance() {
    static auto* const reporter = new SilentReporter;
    return *reporter;
  }

 private:
  static bool yes(void* /*self*/, const void* /*argument*/) { return true; }
  static bool list(void* self, const void* benchmarks) {
    const bool is_gcc = find(GB_REPORTER_LIST) != nullptr;
    real<void>(is_gcc ? GB_REPORTER_LIST : GB_REPORTER_LIBCXX_LIST, self, benchmarks);
    return true;
  }
  static constexpr bool (*kFunctions[])(void*, const void*) = {yes, yes, yes, yes, list, yes, yes, yes};

  bool (*const* functions_)(void*, const void*) = nullptr;
  [[maybe_unused]] void* streams_[2] = {};  ///< Read by the library.
  [[maybe_unused]] void* room_[6] = {};     ///< For members of releases to come.
};

/// Runs what the flags say.
void run_specified() {
  if (setjmp(g_after_run) == 0) real<std::size_t, void*>(GB_RUN_REPORTER, &SilentReporter::instance());
}

/// Sets the library's flags, as its command line does.
void set_flag(const std::string& flag) {
  static std::string program = "benchmark";  // the library keeps it
  std::string copy = flag;
  char* argv[] = {program.data(), copy.data(), nullptr};
  int argc = 2;
  void (*const no_help)() = nullptr;
  if (find(GB_INITIALIZE) != nullptr) {
    real<void>(GB_INITIALIZE, &argc, &argv[0], no_help);
  } else {
    real<void>(GB_INITIALIZE_16, &argc, &argv[0]);
  }
}

/// Releases from 1.8 on print a warning where a time has no unit; older ones know none.
bool wants_unit_of_time() { return find(GB_VERSION "B5cxx11Ev") != nullptr || find(GB_VERSION "Ev") != nullptr; }

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

}  // namespace

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

void run_shortest() {
  set_flag(wants_unit_of_time() ? "--benchmark_min_time=0s" : "--benchmark_min_time=0");
  set_flag("--benchmark_repetitions=1");
}

void run_named(const std::string& name) {
  set_flag("--benchmark_filter=" + pattern_of(name));
  run_specified();
}

void end_run() { std::longjmp(g_after_run, 1); }

}  // namespace tally::preload
