#include "comparison/count_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tally {

std::string_view to_string(ThresholdOf limit) {
  switch (limit) {
    case ThresholdOf::least:
      return "the floor of 5 instructions";
    case ThresholdOf::usual_floor:
      return "the default noise floor";
    case ThresholdOf::measured_floor:
      return "the measured noise floor";
    case ThresholdOf::executions:
      return "what one execution differs by from the mean";
    case ThresholdOf::replicates:
      break;
  }
  return "what the replicates differ by";
}

double relative_change(double before, double after) {
  if (before == after) return 0;
  if (before <= 0)
    return after > before ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return after / before - 1;
}

std::optional<ReportedFigure> reported_figure(const CaseRecord& one) {
  if (one.reported) return ReportedFigure{.value = one.reported->value, .unit = one.reported->unit};
  if (!one.used || one.counts || one.wall || one.language == "command") return std::nullopt;
  const auto peak = metric_of(one, Metric::memory);
  if (!peak) return std::nullopt;
  return ReportedFigure{
      .metric = Metric::memory, .value = peak->value, .unit = "bytes", .floor = peak->range.high - peak->range.low};
}

CountChange reported_change(const ReportedFigure& base, const ReportedFigure& next, const CountThreshold& threshold) {
  CountChange change{.before = base.value, .after = next.value, .metric = next.metric, .unit = next.unit};
  const double delta = next.value - base.value;
  const double size = std::abs(base.value);
  // A value may be below zero, and then it has grown when it is nearer to zero.
  change.change = delta == 0 ? 0 : size > 0 ? delta / size : std::copysign(INFINITY, delta);
  change.threshold = std::max(size * threshold.least_value, std::max(base.floor, next.floor));
  return change;
}

std::string why_no_figures(double before, double after, const CountThreshold& threshold) {
  if (is_below_zero(after))
    return fmt::format("the new count is below zero ({:.10g}), which is not a valid count", after);
  if (is_below_zero(before) && after <= threshold.least_instructions)
    return fmt::format("the count of the base is below zero ({:.10g}), which is not a valid count", before);
  return {};
}

namespace {

/// Half the range of the replicates: the median of so few may lie anywhere within. All of it where they are of two
/// processes: a third one may be as far from either.
double replicate_doubt(const Counts& counts) {
  if (counts.replicates.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(counts.replicates);
  const double share = counts.proven == kTwoProcesses ? 1 : 0.5;
  return share * static_cast<double>(high - low) / static_cast<double>(std::max<std::uint64_t>(counts.iterations, 1));
}

}  // namespace

CountFigures figures_of(const Counts& counts) {
  return {.instructions = counts.per_iteration,
          .denoised = counts.denoised,
          .floor = counts.floor ? std::optional(counts.floor->high - counts.floor->low) : std::nullopt,
          .doubt = replicate_doubt(counts)};
}

CountTerms terms_of(const Settings& settings, const CaseRecord& one) {
  return {.iterations = one.counts ? one.counts->iterations : 0,
          .cache_sim = settings.cache_sim,
          .branch_sim = settings.branch_sim,
          .isolation = settings.isolation};
}

CountChange count_change(const CountFigures& base, const CountFigures& next, bool is_python,
                         const CountThreshold& threshold, bool denoise) {
  CountChange change{.before = base.instructions, .after = next.instructions};
  if (denoise && base.denoised && next.denoised && !is_below_zero(*base.denoised) && !is_below_zero(*next.denoised))
    change = {.before = *base.denoised, .after = *next.denoised, .denoised = true};
  change.change = relative_change(change.before, change.after);
  change.floor_measured = base.floor || next.floor;
  const double floor = change.floor_measured ? std::max(base.floor.value_or(0), next.floor.value_or(0))
                                             : std::abs(change.before) * (is_python ? threshold.usual_floor_python
                                                                                    : threshold.usual_floor_cpp);
  change.threshold = threshold.least_instructions;
  const auto raise = [&](double limit, ThresholdOf of) {
    if (limit <= change.threshold) return;
    change.threshold = limit;
    change.threshold_of = of;
  };
  raise(floor, change.floor_measured ? ThresholdOf::measured_floor : ThresholdOf::usual_floor);
  raise(base.doubt + next.doubt, ThresholdOf::replicates);
  return change;
}

std::optional<double> doubt_of_iterations(const Counts& base, const Counts& next) {
  constexpr double kMostOfTheMean = 0.001;
  if (base.iterations == next.iterations) return 0;
  std::optional<double> least;
  for (const Counts* const side : {&base, &next}) {
    if (!side->one_execution) continue;
    const double apart = std::abs(*side->one_execution - side->per_iteration);
    if (apart <= side->per_iteration * kMostOfTheMean) least = std::min(apart, least.value_or(apart));
  }
  return least;
}

CountChange count_change(const CaseRecord& base, const CaseRecord& next, const CountThreshold& threshold,
                         bool denoise) {
  CountChange change =
      count_change(figures_of(*base.counts), figures_of(*next.counts), next.language == "python", threshold, denoise);
  const double doubt = doubt_of_iterations(*base.counts, *next.counts).value_or(0);
  if (doubt > change.threshold) {
    change.threshold = doubt;
    change.threshold_of = ThresholdOf::executions;
  }
  return change;
}

bool is_real(const CountChange& change) { return std::abs(change.after - change.before) > change.threshold; }

std::string why_not_comparable(const CountTerms& base, const CountTerms& next) {
  if (base.iterations != 0 && next.iterations != 0 && base.iterations != next.iterations)
    return fmt::format("iterations differ: {} and {}", base.iterations, next.iterations);
  if (base.cache_sim != next.cache_sim) return "one run simulated caches, the other did not";
  if (base.branch_sim != next.branch_sim) return "one run simulated branches, the other did not";
  if (base.isolation != next.isolation)
    return fmt::format("isolation differs: {} and {}", base.isolation, next.isolation);
  return {};
}

}  // namespace tally
