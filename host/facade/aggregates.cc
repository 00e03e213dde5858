#include "aggregates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

using Run = BenchmarkReporter::Run;

/// What all aggregates of runs have of their first one.
Run aggregate_of(const Run& first, const std::string& name, StatisticUnit unit) {
  Run run;
  run.run_name = first.run_name;
  run.family_index = first.family_index;
  run.per_family_instance_index = first.per_family_instance_index;
  run.run_type = Run::RT_Aggregate;
  run.aggregate_name = name;
  run.aggregate_unit = unit;
  run.threads = first.threads;
  run.repetitions = first.repetitions;
  run.time_unit = first.time_unit;
  run.complexity = oNone;
  return run;
}

double grows(BigO complexity, double n) {
  switch (complexity) {
    case oN:
      return n;
    case oNSquared:
      return n * n;
    case oNCubed:
      return n * n * n;
    case oLogN:
      return std::log2(n);
    case oNLogN:
      return n * std::log2(n);
    default:
      return 1;
  }
}

struct Fit {
  BigO complexity = oNone;
  double coefficient = 0;
  double rms = 0;
};

/// Least squares of t = c · g(n).
template <typename Growth>
Fit fit(const std::vector<double>& n, const std::vector<double>& times, BigO complexity, const Growth& growth) {
  double gg = 0;
  double tg = 0;
  double sum = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    const double g = growth(n[i]);
    gg += g * g;
    tg += times[i] * g;
    sum += times[i];
  }
  Fit found{complexity, tg / gg, 0};
  double squares = 0;
  for (std::size_t i = 0; i < n.size(); ++i) squares += std::pow(times[i] - found.coefficient * growth(n[i]), 2);
  const auto count = static_cast<double>(n.size());
  found.rms = std::sqrt(squares / count) / (sum / count);
  return found;
}

Fit fit(const std::vector<double>& n, const std::vector<double>& times, BigO complexity, BigOFunc* own) {
  if (complexity == oLambda)
    return fit(n, times, oLambda, [own](double x) { return own(static_cast<ComplexityN>(x)); });
  const auto of = [&](BigO one) { return fit(n, times, one, [one](double x) { return grows(one, x); }); };
  if (complexity != oAuto) return of(complexity);
  Fit best = of(o1);
  for (const BigO one : {oLogN, oN, oNLogN, oNSquared, oNCubed}) {
    if (const Fit next = of(one); next.rms < best.rms) best = next;
  }
  return best;
}

/// Of fewer, no two enclose the median as surely.
constexpr std::size_t kLeastForInterval = 6;

}  // namespace

std::pair<double, double> median_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  double chance = std::pow(0.5, static_cast<double>(n));  // that so many are below the median, by binomial(n, 1/2)
  double below = chance;
  std::size_t least = 0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    if (2 * (below + chance) > 0.05) break;
    below += chance;
    least = k + 1;
  }
  return {values[least], values[n - 1 - least]};
}

const char* big_o_text(BigO complexity) {
  switch (complexity) {
    case oN:
      return "N";
    case oNSquared:
      return "N^2";
    case oNCubed:
      return "N^3";
    case oLogN:
      return "lgN";
    case oNLogN:
      return "NlgN";
    case o1:
      return "(1)";
    default:
      return "f(N)";
  }
}

std::vector<Run> statistics_of(const std::vector<Run>& all, const std::vector<Statistics>& own) {
  std::vector<Run> runs;
  std::copy_if(all.begin(), all.end(), std::back_inserter(runs),
               [](const Run& run) { return run.skipped == NotSkipped; });
  if (runs.size() < 2) return {};
  std::vector<Statistics> wanted = {{"mean", StatisticsMean},
                                    {"median", StatisticsMedian},
                                    {"stddev", StatisticsStdDev},
                                    {"cv", StatisticsCV, kPercentage}};
  if (runs.size() >= kLeastForInterval) {
    wanted.push_back({"median_low", [](const std::vector<double>& values) { return median_interval(values).first; }});
    wanted.push_back({"median_high", [](const std::vector<double>& values) { return median_interval(values).second; }});
  }
  wanted.insert(wanted.end(), own.begin(), own.end());
  const bool one_label =
      std::all_of(runs.begin(), runs.end(), [&](const Run& run) { return run.report_label == runs[0].report_label; });
  UserCounters counters;
  for (const Run& run : runs) counters.insert(run.counters.begin(), run.counters.end());
  std::vector<Run> results;
  for (const Statistics& statistic : wanted) {
    Run result = aggregate_of(runs[0], statistic.name_, statistic.unit_);
    if (one_label) result.report_label = runs[0].report_label;
    result.iterations = static_cast<IterationCount>(all.size());
    // Times are shown divided by the iterations: those of a repetition, each, are undone here.
    const auto figure = [&](const auto& value_of) {
      std::vector<double> values;
      values.reserve(runs.size());
      for (const Run& run : runs) values.push_back(value_of(run));
      return statistic.compute_(values);
    };
    const double scale = statistic.unit_ == kPercentage ? 1 : static_cast<double>(result.iterations);
    result.real_accumulated_time =
        scale * figure([](const Run& run) { return run.real_accumulated_time / static_cast<double>(run.iterations); });
    result.cpu_accumulated_time =
        scale * figure([](const Run& run) { return run.cpu_accumulated_time / static_cast<double>(run.iterations); });
    for (const auto& [name, counter] : counters) {
      std::vector<double> values;
      for (const Run& run : runs) {
        if (const auto found = run.counters.find(name); found != run.counters.end())
          values.push_back(found->second.value);
      }
      result.counters[name] = Counter(statistic.compute_(values), counter.flags, counter.oneK);
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Run> complexity_of(const std::vector<Run>& runs) {
  if (runs.size() < 2) return {};
  std::vector<double> n;
  std::vector<double> real;
  std::vector<double> cpu;
  for (const Run& run : runs) {
    if (run.complexity_n <= 0) {
      std::fprintf(stderr, "benchmark '%s': Complexity() wants SetComplexityN() in each run\n",
                   run.run_name.str().c_str());
      return {};
    }
    n.push_back(static_cast<double>(run.complexity_n));
    real.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
    cpu.push_back(run.cpu_accumulated_time / static_cast<double>(run.iterations));
  }
  // One function for both: that which fits the time that is measured.
  const Run& first = runs[0];
  const bool by_real = first.use_real_time_for_initial_big_o;
  const Fit leading = fit(n, by_real ? real : cpu, first.complexity, first.complexity_lambda);
  const Fit other = fit(n, by_real ? cpu : real, leading.complexity, first.complexity_lambda);
  const Fit& of_real = by_real ? leading : other;
  const Fit& of_cpu = by_real ? other : leading;

  Run big_o = aggregate_of(first, "BigO", kTime);
  big_o.run_name.args.clear();
  big_o.report_label = first.report_label;
  big_o.iterations = 0;
  big_o.real_accumulated_time = of_real.coefficient;
  big_o.cpu_accumulated_time = of_cpu.coefficient;
  // Two digits are shown of it: of a large unit they would be zeros.
  big_o.time_unit = GetDefaultTimeUnit();
  big_o.report_big_o = true;
  big_o.complexity = leading.complexity;

  Run rms = aggregate_of(first, "RMS", kPercentage);
  rms.run_name.args.clear();
  rms.report_label = first.report_label;
  rms.iterations = 0;
  rms.real_accumulated_time = of_real.rms / GetTimeUnitMultiplier(first.time_unit);
  rms.cpu_accumulated_time = of_cpu.rms / GetTimeUnitMultiplier(first.time_unit);
  rms.report_rms = true;
  rms.complexity = leading.complexity;
  return {big_o, rms};
}

}  // namespace internal

TALLYMARK_FACADE_END
