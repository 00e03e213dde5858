#include "benchmark/registration.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <thread>

#include "benchmark/utils.h"
#include "families.h"

TALLYMARK_FACADE_BEGIN

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "benchmark '%s': %s\n", name.c_str(), why.c_str());
  std::exit(2);
}

/// lo, the powers of `multiplier` strictly between, and hi. Without a sign: that of INT64_MIN fits, too.
std::vector<std::uint64_t> powers(std::uint64_t lo, std::uint64_t hi, unsigned multiplier) {
  std::vector<std::uint64_t> values = {lo};
  for (std::uint64_t power = 1; power < hi; power *= multiplier) {
    if (power > lo) values.push_back(power);
    if (power > hi / multiplier) break;
  }
  if (hi != lo) values.push_back(hi);
  return values;
}

/// Of any number, and of INT64_MIN.
std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

/// Every combination, the last list's values changing slowest, or fastest.
std::vector<std::vector<std::int64_t>> product(const std::vector<std::vector<std::int64_t>>& lists) {
  std::vector<std::vector<std::int64_t>> rows = {{}};
  for (const auto& list : lists) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::int64_t value : list) {
      for (const auto& row : rows) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

}  // namespace

std::vector<std::int64_t> CreateRange(std::int64_t lo, std::int64_t hi, int multi) {
  if (lo > hi || multi < 2) refuse("range", "needs a start that is no more than its limit, and a multiplier from 2 on");
  std::vector<std::int64_t> values;
  const auto base = static_cast<unsigned>(multi);
  if (lo < 0) {  // Below zero as above it, mirrored.
    const std::vector<std::uint64_t> below = powers(hi < 0 ? magnitude(hi) : 1, magnitude(lo), base);
    std::transform(below.rbegin(), below.rend(), std::back_inserter(values),
                   [](std::uint64_t power) { return static_cast<std::int64_t>(0 - power); });
    if (hi < 0) return values;
    values.push_back(0);
    if (hi == 0) return values;
    lo = 1;
  }
  for (const std::uint64_t power : powers(magnitude(lo), magnitude(hi), base))
    values.push_back(static_cast<std::int64_t>(power));
  return values;
}

std::vector<std::int64_t> CreateDenseRange(std::int64_t start, std::int64_t limit, int step) {
  if (start > limit || step < 1) refuse("range", "needs a start that is no more than its limit, and a step from 1 on");
  std::vector<std::int64_t> values = {start};
  // The distance is without a sign: a step beyond the limit may be beyond all numbers.
  while (static_cast<std::uint64_t>(limit) - static_cast<std::uint64_t>(values.back()) >= static_cast<unsigned>(step))
    values.push_back(values.back() + step);
  return values;
}

Benchmark::Benchmark(const std::string& name) { definition_.name = name; }
Benchmark::~Benchmark() = default;

Benchmark* Benchmark::Name(const std::string& name) {
  SetName(name);
  return this;
}

Benchmark* Benchmark::Arg(std::int64_t value) { return Args({value}); }

Benchmark* Benchmark::Args(const std::vector<std::int64_t>& values) {
  if (ArgsCnt() != -1 && static_cast<std::size_t>(ArgsCnt()) != values.size())
    refuse(definition_.name, "has runs with different numbers of arguments");
  definition_.args.push_back(values);
  return this;
}

Benchmark* Benchmark::Range(std::int64_t start, std::int64_t limit) {
  for (const std::int64_t value : CreateRange(start, limit, definition_.range_multiplier)) Arg(value);
  return this;
}

Benchmark* Benchmark::DenseRange(std::int64_t start, std::int64_t limit, int step) {
  for (const std::int64_t value : CreateDenseRange(start, limit, step)) Arg(value);
  return this;
}

Benchmark* Benchmark::Ranges(const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
  std::vector<std::vector<std::int64_t>> lists;
  lists.reserve(ranges.size());
  for (const auto& [lo, hi] : ranges) lists.push_back(CreateRange(lo, hi, definition_.range_multiplier));
  return ArgsProduct(lists);
}

Benchmark* Benchmark::ArgsProduct(const std::vector<std::vector<std::int64_t>>& lists) {
  for (const auto& row : product(lists)) Args(row);
  return this;
}

Benchmark* Benchmark::ArgName(const std::string& name) { return ArgNames({name}); }

Benchmark* Benchmark::ArgNames(const std::vector<std::string>& names) {
  definition_.arg_names = names;
  return this;
}

Benchmark* Benchmark::RangeMultiplier(int multiplier) {
  if (multiplier < 2)
    refuse(definition_.name, "has a range multiplier of " + std::to_string(multiplier) + ": the least is 2");
  definition_.range_multiplier = multiplier;
  return this;
}

Benchmark* Benchmark::Apply(const std::function<void(Benchmark* benchmark)>& function) {
  function(this);
  return this;
}

Benchmark* Benchmark::Setup(callback_function function) {
  definition_.setup = std::move(function);
  return this;
}

Benchmark* Benchmark::Teardown(callback_function function) {
  definition_.teardown = std::move(function);
  return this;
}

Benchmark* Benchmark::Unit(TimeUnit unit) {
  definition_.unit = unit;
  definition_.has_unit = true;
  return this;
}

Benchmark* Benchmark::MinTime(double seconds) {
  if (seconds <= 0) refuse(definition_.name, "has a MinTime() that is not above 0");
  if (definition_.iterations > 0) refuse(definition_.name, "has Iterations() and MinTime(), of which it can have one");
  definition_.min_time = seconds;
  return this;
}

Benchmark* Benchmark::MinWarmUpTime(double seconds) {
  if (seconds < 0) refuse(definition_.name, "has a MinWarmUpTime() below 0");
  definition_.min_warmup_time = seconds;
  return this;
}

Benchmark* Benchmark::Iterations(IterationCount count) {
  if (count <= 0) refuse(definition_.name, "has Iterations() that are none");
  if (definition_.min_time > 0) refuse(definition_.name, "has Iterations() and MinTime(), of which it can have one");
  definition_.iterations = count;
  return this;
}

Benchmark* Benchmark::Repetitions(int count) {
  if (count <= 0) refuse(definition_.name, "has Repetitions() that are none");
  definition_.repetitions = count;
  return this;
}

Benchmark* Benchmark::ReportAggregatesOnly(bool value) {
  definition_.aggregation = value ? internal::ARM_ReportAggregatesOnly : internal::ARM_Default;
  return this;
}

Benchmark* Benchmark::DisplayAggregatesOnly(bool value) {
  const unsigned kept = definition_.aggregation & internal::ARM_FileReportAggregatesOnly;
  definition_.aggregation = static_cast<internal::AggregationReportMode>(
      (value ? internal::ARM_DisplayReportAggregatesOnly : internal::ARM_Default) | kept);
  return this;
}

Benchmark* Benchmark::MeasureProcessCPUTime() {
  definition_.process_cpu_time = true;
  return this;
}

Benchmark* Benchmark::UseRealTime() {
  if (definition_.manual_time) refuse(definition_.name, "cannot have UseRealTime() and UseManualTime()");
  definition_.real_time = true;
  return this;
}

Benchmark* Benchmark::UseManualTime() {
  if (definition_.real_time) refuse(definition_.name, "cannot have UseRealTime() and UseManualTime()");
  definition_.manual_time = true;
  return this;
}

Benchmark* Benchmark::Complexity(BigO complexity) {
  definition_.complexity = complexity;
  return this;
}

Benchmark* Benchmark::Complexity(BigOFunc* complexity) {
  definition_.complexity = oLambda;
  definition_.complexity_function = complexity;
  return this;
}

Benchmark* Benchmark::ComputeStatistics(const std::string& name, StatisticsFunc* statistics, StatisticUnit unit) {
  definition_.statistics.emplace_back(name, statistics, unit);
  return this;
}

Benchmark* Benchmark::Threads(int count) {
  if (count <= 0) refuse(definition_.name, "has Threads() that are none");
  definition_.threads.push_back(count);
  return this;
}

Benchmark* Benchmark::ThreadRange(int least, int most) {
  for (const std::int64_t count : CreateRange(least, most, 2)) Threads(static_cast<int>(count));
  return this;
}

Benchmark* Benchmark::DenseThreadRange(int least, int most, int stride) {
  for (int count = least; count < most; count += stride) Threads(count);
  return Threads(most);
}

Benchmark* Benchmark::ThreadPerCpu() {
  return Threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

TimeUnit Benchmark::GetTimeUnit() const { return definition_.has_unit ? definition_.unit : GetDefaultTimeUnit(); }

int Benchmark::ArgsCnt() const {
  if (!definition_.args.empty()) return static_cast<int>(definition_.args.front().size());
  return definition_.arg_names.empty() ? -1 : static_cast<int>(definition_.arg_names.size());
}

const char* Benchmark::GetArgName(int place) const {
  return definition_.arg_names[static_cast<std::size_t>(place)].c_str();
}

void ClearRegisteredBenchmarks() {
  internal::families().clear();
  internal::forget_listed();
}

namespace internal {

std::vector<std::unique_ptr<::benchmark::Benchmark>>& families() {
  static std::vector<std::unique_ptr<::benchmark::Benchmark>> all;
  return all;
}

::benchmark::Benchmark* RegisterBenchmarkInternal(std::unique_ptr<::benchmark::Benchmark> benchmark) {
  families().push_back(std::move(benchmark));
  return families().back().get();
}

}  // namespace internal

TALLYMARK_FACADE_END
