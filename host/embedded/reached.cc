#define TALLYMARK_REACHED_LIBRARY
#include "tallymark/reached.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "asked.h"
#include "call.h"
#include "registry.h"
#include "served.h"

namespace tally::detail {

namespace {

using Main = int (*)(int, char**, char**);

struct Program {
  Main main = nullptr;
  int argc = 0;
  char** argv = nullptr;
  char** environment = nullptr;
};

/// Where main() is on its way. Of this process.
struct Way {
  Errand errand = Errand::none;
  std::string sought;
  std::map<std::string, int> reached;  ///< How often each name was, those with a number behind them included.
  bool arrived = false;
  std::string trouble;  ///< What went wrong on the way.
};

Program g_program;
Way& way() {
  static Way of_this_process;
  return of_this_process;
}

[[noreturn]] void end_of_way(const std::string& how) {
  const std::string& trouble = way().trouble;
  embedded::fail_sought(trouble.empty() ? how + " before this benchmark was reached" : trouble);
}

void fail_at_exit() {
  if (!way().arrived) end_of_way("the program ended");
}

/// A case: main() from its beginning to the benchmark.
void seek(std::string_view name) {
  embedded::forget_question();
  way().errand = Errand::seek;
  way().sought = name;
  std::atexit(fail_at_exit);
  try {
    const int code = g_program.main(g_program.argc, g_program.argv, g_program.environment);
    end_of_way("main() returned " + std::to_string(code));
  } catch (const std::exception& error) {
    embedded::fail_sought(error.what());
  } catch (...) {
    embedded::fail_sought("main() threw what is no std::exception");
  }
}

/// However main() ends.
void write_list_at_exit() { ::_exit(embedded::write_list()); }

int begin(int argc, char** argv, char** environment) {
  g_program.argc = argc;
  g_program.argv = argv;
  g_program.environment = environment;
  switch (embedded::asked()) {
    case embedded::Asked::nothing:
      break;
    case embedded::Asked::list:
      way().errand = Errand::list;
      embedded::registry();  // made before: it is there still when the list is written
      std::atexit(write_list_at_exit);
      break;
    case embedded::Asked::serving:
      embedded::seek_others(seek);
      ::_exit(embedded::serve());
  }
  return g_program.main(argc, argv, environment);
}

}  // namespace

namespace {

/// "name", or the first of "name#2" and so on that none has that was reached before: the same one in each process.
std::string name_of_next(const std::string& name) {
  std::string own = name;
  embedded::make_allowed(own);
  int& nth = way().reached[own];
  std::string full = ++nth == 1 ? own : own + "#" + std::to_string(nth);
  while (nth > 1 && way().reached.count(full) > 0) full = own + "#" + std::to_string(++nth);
  if (nth > 1) way().reached[full] = 1;
  return full;
}

}  // namespace

Errand errand() { return way().errand; }
const std::string& sought() { return way().sought; }

bool is_asked() { return embedded::asked() != embedded::Asked::nothing; }

bool reach(const std::string& name) {
  Way& here = way();
  if (here.errand == Errand::none) return false;
  const std::string full = name_of_next(name);
  if (here.errand == Errand::seek) return full == here.sought;
  embedded::Benchmark benchmark;
  benchmark.name = full;
  embedded::add(std::move(benchmark));
  return false;
}

void measure_reached(void (*function)(Call*, void*), void* context) {
  way().arrived = true;
  embedded::measure_sought([=](Call& call) { function(&call, context); });
}

unsigned long long promise(Call* call) { return call->promise(); }
void trouble(const std::string& what) { way().trouble = what; }
const std::string& trouble() { return way().trouble; }

void call_quietly(void (*function)(void*), void* context) {
  try {
    function(context);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

void give_up(const std::string& reason) { embedded::fail_sought(reason); }

void count_items(Call* call, const std::string& unit, double items) {
  call->notes().counters[unit] = {items, Counter::kRate | Counter::kForEachIteration};
}

}  // namespace tally::detail

extern "C" int tally_start_program(int (*program)(int, char**, char**), int argc, char** argv, void (*init)(),
                                   void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = decltype(&tally_start_program);
  const auto real = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  if (real == nullptr) {
    std::fputs("tallymark: the program is wholly static: link it without -static\n", stderr);
    ::_exit(2);
  }
  tally::detail::g_program.main = program;
  return real(tally::detail::begin, argc, argv, init, fini, rtld_fini, stack_end);
}
