/// nanobench's benchmarks, counted by `tally`: what a program includes in the place of <nanobench.h>, which must be
/// there. Or, without an edit, put the folder include/tallymark/nanobench before nanobench's own: its nanobench.h is
/// this. Each file of the program that includes nanobench does so, the one with ANKERL_NANOBENCH_IMPLEMENT too. Another
/// place of it is given with -DTALLYMARK_NANOBENCH='<folder/nanobench.h>'.
///
/// Bench::run() with a name is a benchmark, "name", or "title/name" under a title. Of a case's process, main() runs
/// until it reaches its benchmark; those before it are executed once. Epochs and warm-up are tally's affair. Of
/// setup(…).run(…), the setup is paused; it needs epochIterations(1). Where `tally` has not started the program,
/// everything is nanobench's own.
#ifndef TALLYMARK_NANOBENCH_H
#define TALLYMARK_NANOBENCH_H

#ifdef ANKERL_NANOBENCH_H_INCLUDED
#error "include <tallymark/nanobench.h> in the place of <nanobench.h>, not after it"
#endif

#include <string>
#include <type_traits>
#include <utility>

#include "tallymark/reached.h"

#ifndef TALLYMARK_NANOBENCH
#define TALLYMARK_NANOBENCH <nanobench.h>
#endif
#define Bench BenchOfNanobench
#include TALLYMARK_NANOBENCH
#undef Bench

namespace tally {
namespace detail {

/// What a benchmark's function is called with: its bench, its operation, and what is done before each execution.
template <typename Operation, typename Setup = NoOperation>
struct NanobenchRun {
  const ::ankerl::nanobench::BenchOfNanobench* bench;
  Operation* operation;
  Setup* setup;
};

template <typename Run>
void count_batch(Call* call, const Run& run) {
  if (run.bench->batch() != 1) count_items(call, run.bench->unit(), run.bench->batch());
}

template <typename Operation>
__attribute__((noinline)) static void nanobench_loop(Call* call, void* context) {
  const auto& run = *static_cast<NanobenchRun<Operation>*>(context);
  open(call, &empty_calls<NoOperation>, 1);
  call_in_rounds(call, *run.operation);
  count_batch(call, run);
}

template <typename Operation, typename Setup>
__attribute__((noinline)) static void nanobench_setup_loop(Call* call, void* context) {
  const auto& run = *static_cast<NanobenchRun<Operation, Setup>*>(context);
  open(call, &empty_calls<NoOperation>, 1);
  for (auto _ : Rounds(call)) {
    static_cast<void>(_);
    detail::pause(call);
    (*run.setup)();
    detail::resume(call);
    (*run.operation)();
  }
  count_batch(call, run);
}

}  // namespace detail
}  // namespace tally

/// A setter, which has arguments, and a getter, which has none. Templates: not every release has each of them.
#define TALLY_NANOBENCH_SETTER(name)                                                             \
  template <typename First, typename... Others, typename Base = Own>                             \
  Bench& name(First&& first, Others&&... others) {                                               \
    static_cast<Base&>(*this).name(std::forward<First>(first), std::forward<Others>(others)...); \
    return *this;                                                                                \
  }
#define TALLY_NANOBENCH_OPTION(name)               \
  TALLY_NANOBENCH_SETTER(name)                     \
  template <typename Base = Own>                   \
  [[nodiscard]] decltype(auto) name() const {      \
    return static_cast<const Base&>(*this).name(); \
  }
#define TALLY_NANOBENCH_CLEARING(name) \
  template <typename Base = Own>       \
  Bench& name() {                      \
    static_cast<Base&>(*this).name();  \
    return *this;                      \
  }

namespace ankerl {
namespace nanobench {

/// As nanobench's own, and `tally` counts what it runs.
class Bench : public BenchOfNanobench {
  using Own = BenchOfNanobench;

 public:
  template <typename Operation>
  __attribute__((noinline)) Bench& run(Operation&& operation) {
    if (::tally::detail::errand() != ::tally::detail::Errand::none) {
      if (reach()) measure(operation);
      pass_by([&] { Own::run(operation); });
      return *this;
    }
    Own::run(std::forward<Operation>(operation));
    return *this;
  }
  template <typename Name, typename Operation>
  Bench& run(Name&& its_name, Operation&& operation) {
    Own::name(std::forward<Name>(its_name));
    return run(std::forward<Operation>(operation));
  }

  /// Each alternative is a benchmark.
  template <typename... Arguments, typename Base = Own>
  decltype(auto) compare(Arguments&&... arguments) {
    if (::tally::detail::errand() == ::tally::detail::Errand::none)
      return static_cast<Base&>(*this).compare(std::forward<Arguments>(arguments)...);
    reach_pairs(arguments...);
    const Once once(*this);
    return static_cast<Base&>(*this).compare(arguments...);
  }

  /// What setup() returns.
  template <typename Setup>
  class Prepared {
   public:
    Prepared(Bench& bench, Setup setup) : bench_(bench), setup_(std::move(setup)) {}
    template <typename Operation>
    Bench& run(Operation&& operation) {
      return bench_.run_with_setup(setup_, std::forward<Operation>(operation));
    }
    template <typename Name, typename Operation>
    Bench& run(Name&& its_name, Operation&& operation) {
      bench_.name(std::forward<Name>(its_name));
      return run(std::forward<Operation>(operation));
    }

   private:
    Bench& bench_;
    Setup setup_;
  };
  template <typename Setup>
  Prepared<std::decay_t<Setup>> setup(Setup&& its_setup) {
    return {*this, std::forward<Setup>(its_setup)};
  }

  TALLY_NANOBENCH_OPTION(title)
  TALLY_NANOBENCH_OPTION(name)
  TALLY_NANOBENCH_OPTION(batch)
  TALLY_NANOBENCH_OPTION(unit)
  TALLY_NANOBENCH_OPTION(timeUnit)
  TALLY_NANOBENCH_OPTION(output)
  TALLY_NANOBENCH_OPTION(clockResolutionMultiple)
  TALLY_NANOBENCH_OPTION(epochs)
  TALLY_NANOBENCH_OPTION(maxEpochTime)
  TALLY_NANOBENCH_OPTION(minEpochTime)
  TALLY_NANOBENCH_OPTION(minEpochIterations)
  TALLY_NANOBENCH_OPTION(epochIterations)
  TALLY_NANOBENCH_OPTION(warmup)
  TALLY_NANOBENCH_OPTION(relative)
  TALLY_NANOBENCH_OPTION(performanceCounters)
  TALLY_NANOBENCH_OPTION(complexityN)
  TALLY_NANOBENCH_OPTION(config)
  TALLY_NANOBENCH_SETTER(context)
  TALLY_NANOBENCH_SETTER(contextColumn)
  TALLY_NANOBENCH_SETTER(hideColumn)
  TALLY_NANOBENCH_SETTER(showColumn)
  TALLY_NANOBENCH_SETTER(doNotOptimizeAway)
  TALLY_NANOBENCH_SETTER(render)
  TALLY_NANOBENCH_CLEARING(clearContext)
  TALLY_NANOBENCH_CLEARING(clearContextColumns)

 private:
  /// While it lives, a run executes its operation once and says nothing.
  class Once {
   public:
    explicit Once(Own& bench) : bench_(bench), config_(bench.config()) {
      bench.output(nullptr).epochs(1).epochIterations(1).warmup(0);
    }
    ~Once() { bench_.config(config_); }
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;

   private:
    Own& bench_;
    const Config config_;
  };

  /// The operation is executed once, for what comes after it. What it throws is its own case's affair.
  template <typename Run>
  void pass_by(Run run) {
    const Once once(*this);
    ::tally::detail::call_quietly([](void* its_run) { (*static_cast<Run*>(its_run))(); }, &run);
  }

  template <typename Operation>
  [[noreturn]] void measure(Operation& operation) {
    ::tally::detail::NanobenchRun<Operation> run{this, &operation, nullptr};
    ::tally::detail::measure_reached(&::tally::detail::nanobench_loop<Operation>, &run);
  }

  bool reach() {
    static const std::string untitled = Own().title();
    const std::string& here = Own::title();
    return ::tally::detail::reach(here.empty() || here == untitled ? Own::name() : here + "/" + Own::name());
  }

  void reach_pairs() {}
  template <typename Name, typename Operation, typename... Others>
  void reach_pairs(Name&& its_name, Operation&& operation, Others&&... others) {
    Own::name(its_name);
    if (reach()) measure(operation);
    reach_pairs(others...);
  }

  template <typename Setup, typename Operation, typename Base = Own>
  __attribute__((noinline)) Bench& run_with_setup(Setup& its_setup, Operation&& operation) {
    using Bare = std::remove_reference_t<Operation>;
    Base& own = *this;
    if (::tally::detail::errand() == ::tally::detail::Errand::none) {
      own.setup(its_setup).run(std::forward<Operation>(operation));
      return *this;
    }
    if (reach()) {
      if (Own::epochIterations() != 1)
        ::tally::detail::give_up("setup() can only be counted with epochIterations(1): it is then of each execution");
      ::tally::detail::NanobenchRun<Bare, Setup> run{this, &operation, &its_setup};
      ::tally::detail::measure_reached(&::tally::detail::nanobench_setup_loop<Bare, Setup>, &run);
    }
    pass_by([&] { own.setup(its_setup).run(operation); });
    return *this;
  }
};

}  // namespace nanobench
}  // namespace ankerl

#undef TALLY_NANOBENCH_SETTER
#undef TALLY_NANOBENCH_OPTION
#undef TALLY_NANOBENCH_CLEARING

#endif
