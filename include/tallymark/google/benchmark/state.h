/// A benchmark's view of its run.
#ifndef TALLYMARK_BENCHMARK_STATE_H
#define TALLYMARK_BENCHMARK_STATE_H

#include <cassert>
#include <cstddef>

#include "benchmark/counter.h"
#include "benchmark/types.h"
#include "tallymark/loop.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

struct Paused;
BENCHMARK_UNUSED static void empty_keep(::tally::detail::Call* call, unsigned pauses);
BENCHMARK_UNUSED static void empty_batch(::tally::detail::Call* call, unsigned pauses);

}  // namespace internal

class State {
 public:
  /// Made by the library.
  explicit State(::tally::detail::Call* call, const std::string* name = nullptr);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  using StateIterator = ::tally::detail::Rounds;

  /// for (auto _ : state) …
  inline BENCHMARK_ALWAYS_INLINE StateIterator begin();
  inline BENCHMARK_ALWAYS_INLINE ::tally::detail::End end() const { return {}; }

  /// while (state.KeepRunning()) …
  inline BENCHMARK_ALWAYS_INLINE bool KeepRunning();
  /// Each round is of so many iterations.
  inline BENCHMARK_ALWAYS_INLINE bool KeepRunningBatch(IterationCount n);

  /// What lies between the two is neither counted nor timed.
  void PauseTiming();
  void ResumeTiming();

  void SkipWithMessage(const std::string& message);
  void SkipWithError(const std::string& message);
  [[nodiscard]] bool skipped() const;
  [[nodiscard]] bool error_occurred() const;

  /// With UseManualTime(): how long this iteration took.
  void SetIterationTime(double seconds);

  void SetBytesProcessed(std::int64_t bytes) {
    counters["bytes_per_second"] = Counter(static_cast<double>(bytes), Counter::kIsRate, Counter::kIs1024);
  }
  [[nodiscard]] std::int64_t bytes_processed() const { return counter_of("bytes_per_second"); }
  void SetItemsProcessed(std::int64_t items) {
    counters["items_per_second"] = Counter(static_cast<double>(items), Counter::kIsRate);
  }
  [[nodiscard]] std::int64_t items_processed() const { return counter_of("items_per_second"); }

  void SetComplexityN(ComplexityN n);
  [[nodiscard]] ComplexityN complexity_length_n() const;
  void SetLabel(const std::string& label);

  [[nodiscard]] std::int64_t range(std::size_t position = 0) const {
    assert(position < range_size());
    return ranges_[position];
  }
  [[nodiscard]] std::size_t range_size() const { return range_size_; }
  BENCHMARK_DEPRECATED_MSG("use 'range(0)' instead")
  std::int64_t range_x() const { return range(0); }
  BENCHMARK_DEPRECATED_MSG("use 'range(1)' instead")
  std::int64_t range_y() const { return range(1); }

  [[nodiscard]] int threads() const;
  [[nodiscard]] int thread_index() const;
  /// Those that were run in this process so far; while a `for (auto _ : state)` runs: 0.
  [[nodiscard]] IterationCount iterations() const;
  [[nodiscard]] std::string name() const;

  /// How many iterations this call will have. To ask it before the loop has ended decides it: each measured region is
  /// then a call of the function.
  class MaxIterations {
   public:
    explicit MaxIterations(::tally::detail::Call* call) : call_(call) {}
    operator IterationCount() const;  // NOLINT: implicit, it stands for a number

   private:
    ::tally::detail::Call* call_;
  };
  const MaxIterations max_iterations;

  UserCounters counters;

  /// For the library.
  [[nodiscard]] ::tally::detail::Call* call() const { return call_; }

 private:
  [[nodiscard]] std::int64_t counter_of(const char* name) const {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : static_cast<std::int64_t>(found->second.value);
  }
  /// The loop's next round, in rounds of `step`.
  bool more(::tally::detail::Empty empty, IterationCount step);

  ::tally::detail::Call* call_;
  const std::string* name_;
  const std::int64_t* ranges_;
  std::size_t range_size_;
  unsigned long long left_ = 0;
  bool opened_ = false;
};

namespace internal {

struct Paused {
  explicit Paused(::tally::detail::Call* call) : state(call) {}
  BENCHMARK_ALWAYS_INLINE void pause() { state.PauseTiming(); }
  BENCHMARK_ALWAYS_INLINE void resume() { state.ResumeTiming(); }
  State state;
};

/// How many iterations a round of the loop that runs has.
IterationCount step_of(::tally::detail::Call* call);

}  // namespace internal

inline BENCHMARK_ALWAYS_INLINE State::StateIterator State::begin() {
  ::tally::detail::open(call_, &::tally::detail::empty_rounds<internal::Paused>, 1);
  return StateIterator(call_);
}

inline BENCHMARK_ALWAYS_INLINE bool State::KeepRunning() {
  ::tally::barrier();
  if (BENCHMARK_BUILTIN_EXPECT(left_ != 0, 1)) {
    --left_;
    return true;
  }
  return more(&internal::empty_keep, 1);
}

inline BENCHMARK_ALWAYS_INLINE bool State::KeepRunningBatch(IterationCount n) {
  ::tally::barrier();
  if (BENCHMARK_BUILTIN_EXPECT(left_ >= static_cast<unsigned long long>(n), 1)) {
    left_ -= static_cast<unsigned long long>(n);
    return true;
  }
  return more(&internal::empty_batch, n);
}

namespace internal {

// The empty loops, in each translation unit, as it is compiled; with a state by reference, as a function has it.
__attribute__((noinline)) static void empty_keep_in(State& state, unsigned pauses) {
  if (pauses == 0) {
    while (state.KeepRunning()) {
    }
    return;
  }
  if (pauses == 1) {
    while (state.KeepRunning()) {
      state.PauseTiming();
      state.ResumeTiming();
    }
    return;
  }
  while (state.KeepRunning()) {
    for (unsigned i = 0; i < pauses; ++i) {
      state.PauseTiming();
      state.ResumeTiming();
    }
  }
}

static void empty_keep(::tally::detail::Call* call, unsigned pauses) {
  State state(call);
  empty_keep_in(state, pauses);
}

__attribute__((noinline)) static void empty_batch_in(State& state, IterationCount step, unsigned pauses) {
  if (pauses == 0) {
    while (state.KeepRunningBatch(step)) {
    }
    return;
  }
  while (state.KeepRunningBatch(step)) {
    for (unsigned i = 0; i < pauses; ++i) {
      state.PauseTiming();
      state.ResumeTiming();
    }
  }
}

static void empty_batch(::tally::detail::Call* call, unsigned pauses) {
  State state(call);
  empty_batch_in(state, step_of(call), pauses);
}

}  // namespace internal

/// Pauses for as long as it lives.
class ScopedPauseTiming {
 public:
  explicit ScopedPauseTiming(State& state) : state_(state) { state_.PauseTiming(); }
  ~ScopedPauseTiming() { state_.ResumeTiming(); }
  ScopedPauseTiming(const ScopedPauseTiming&) = delete;
  void operator=(const ScopedPauseTiming&) = delete;

 private:
  State& state_;
};

TALLYMARK_FACADE_END

#endif
