/// Registers benchmarks, and sets the options of each.
#ifndef TALLYMARK_BENCHMARK_REGISTRATION_H
#define TALLYMARK_BENCHMARK_REGISTRATION_H

#include <type_traits>
#include <utility>

#include "benchmark/benchmark_api.h"
#include "benchmark/state.h"
#include "benchmark/statistics.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// What a definition says.
struct Definition {
  std::string name;
  std::vector<std::string> arg_names;
  std::vector<std::vector<std::int64_t>> args;  ///< A row for each run; none: one without arguments.
  std::vector<int> threads;                     ///< None: one.
  AggregationReportMode aggregation = ARM_Unspecified;
  bool has_unit = false;
  TimeUnit unit = kNanosecond;
  int range_multiplier = 8;
  double min_time = 0;         ///< Seconds; 0: as the flag says.
  double min_warmup_time = 0;  ///< Likewise.
  IterationCount iterations = 0;
  int repetitions = 0;  ///< 0: as the flag says.
  bool process_cpu_time = false;
  bool real_time = false;
  bool manual_time = false;
  BigO complexity = oNone;
  BigOFunc* complexity_function = nullptr;
  std::vector<Statistics> statistics;
  callback_function setup;
  callback_function teardown;
};

}  // namespace internal

/// A family of benchmarks. Each method returns this one.
class Benchmark {
 public:
  virtual ~Benchmark();
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;

  Benchmark* Name(const std::string& name);
  Benchmark* Arg(std::int64_t value);
  Benchmark* Args(const std::vector<std::int64_t>& values);
  Benchmark* ArgPair(std::int64_t x, std::int64_t y) { return Args({x, y}); }
  /// start, limit, and the powers of the multiplier between.
  Benchmark* Range(std::int64_t start, std::int64_t limit);
  Benchmark* DenseRange(std::int64_t start, std::int64_t limit, int step = 1);
  Benchmark* Ranges(const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges);
  Benchmark* RangePair(std::int64_t lo1, std::int64_t hi1, std::int64_t lo2, std::int64_t hi2) {
    return Ranges({{lo1, hi1}, {lo2, hi2}});
  }
  /// All combinations.
  Benchmark* ArgsProduct(const std::vector<std::vector<std::int64_t>>& lists);
  Benchmark* ArgName(const std::string& name);
  Benchmark* ArgNames(const std::vector<std::string>& names);
  Benchmark* RangeMultiplier(int multiplier);
  Benchmark* Apply(const std::function<void(Benchmark* benchmark)>& function);

  /// Called before each call of the function, and after; by one thread.
  Benchmark* Setup(callback_function function);
  Benchmark* Teardown(callback_function function);

  Benchmark* Unit(TimeUnit unit);
  Benchmark* MinTime(double seconds);
  Benchmark* MinWarmUpTime(double seconds);
  /// In each call of the function.
  Benchmark* Iterations(IterationCount count);
  Benchmark* Repetitions(int count);
  Benchmark* ReportAggregatesOnly(bool value = true);
  Benchmark* DisplayAggregatesOnly(bool value = true);
  Benchmark* MeasureProcessCPUTime();
  Benchmark* UseRealTime();
  Benchmark* UseManualTime();
  Benchmark* Complexity(BigO complexity = oAuto);
  Benchmark* Complexity(BigOFunc* complexity);
  Benchmark* ComputeStatistics(const std::string& name, StatisticsFunc* statistics, StatisticUnit unit = kTime);

  /// The function in so many threads at once.
  Benchmark* Threads(int count);
  Benchmark* ThreadRange(int least, int most);
  Benchmark* DenseThreadRange(int least, int most, int stride = 1);
  Benchmark* ThreadPerCpu();

  /// Threads that somebody else makes cannot be made to begin and end together with the counting.
  template <typename Factory>
  Benchmark* ThreadRunner(Factory&& /*factory*/) {
    static_assert(!std::is_same<Factory, Factory>::value,
                  "tallymark does not take ThreadRunner(): use Threads(), or measure with Google Benchmark itself");
    return this;
  }

  virtual void Run(State& state) = 0;

  [[nodiscard]] const char* GetName() const { return definition_.name.c_str(); }
  [[nodiscard]] TimeUnit GetTimeUnit() const;
  [[nodiscard]] int ArgsCnt() const;
  [[nodiscard]] const char* GetArgName(int place) const;

  /// For the library.
  [[nodiscard]] const internal::Definition& definition() const { return definition_; }

 protected:
  explicit Benchmark(const std::string& name);
  void SetName(const std::string& name) { definition_.name = name; }

 private:
  internal::Definition definition_;
};

namespace internal {

using Benchmark [[deprecated("use ::benchmark::Benchmark")]] = ::benchmark::Benchmark;

/// Keeps it, and returns it.
::benchmark::Benchmark* RegisterBenchmarkInternal(std::unique_ptr<::benchmark::Benchmark> benchmark);

class FunctionBenchmark : public ::benchmark::Benchmark {
 public:
  FunctionBenchmark(const std::string& name, Function* function) : Benchmark(name), function_(function) {}
  void Run(State& state) override { function_(state); }

 private:
  Function* function_;
};

template <class Lambda>
class LambdaBenchmark : public ::benchmark::Benchmark {
 public:
  template <class Other>
  LambdaBenchmark(const std::string& name, Other&& lambda) : Benchmark(name), lambda_(std::forward<Other>(lambda)) {}
  void Run(State& state) override { lambda_(state); }

 private:
  Lambda lambda_;
};

}  // namespace internal

inline Benchmark* RegisterBenchmark(const std::string& name, internal::Function* function) {
  return internal::RegisterBenchmarkInternal(std::make_unique<internal::FunctionBenchmark>(name, function));
}

template <class Lambda>
Benchmark* RegisterBenchmark(const std::string& name, Lambda&& function) {
  using Type = internal::LambdaBenchmark<typename std::decay<Lambda>::type>;
  return internal::RegisterBenchmarkInternal(std::make_unique<Type>(name, std::forward<Lambda>(function)));
}

template <class Lambda, class... Args>
Benchmark* RegisterBenchmark(const std::string& name, Lambda&& function, Args&&... args) {
  return RegisterBenchmark(name, [=](State& state) { function(state, args...); });
}

/// What several benchmarks have in common: SetUp() before each call of the body, and TearDown() after it.
class Fixture : public Benchmark {
 public:
  Fixture() : Benchmark("") {}
  void Run(State& state) override {
    SetUp(state);
    BenchmarkCase(state);
    TearDown(state);
  }
  virtual void SetUp(const State& /*state*/) {}
  virtual void TearDown(const State& /*state*/) {}
  virtual void SetUp(State& state) { SetUp(static_cast<const State&>(state)); }
  virtual void TearDown(State& state) { TearDown(static_cast<const State&>(state)); }

 protected:
  virtual void BenchmarkCase(State& state) = 0;
};

TALLYMARK_FACADE_END

#endif
