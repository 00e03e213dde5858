#include "measurement/wall.h"

#include <algorithm>
#include <cmath>

namespace tally {
namespace {

std::vector<double> pooled(std::span<const std::vector<double>> by_child) {
  std::vector<double> all;
  for (const auto& child : by_child) all.insert(all.end(), child.begin(), child.end());
  return all;
}

std::vector<double> child_medians(std::span<const std::vector<double>> by_child) {
  std::vector<double> medians;
  for (const auto& child : by_child) {
    if (!child.empty()) medians.push_back(median(child));
  }
  return medians;
}

/// Below this many children ranks say too little (the whole range, or less than 95 %).
constexpr std::size_t kEnoughForRanks = 9;

/// An interval about `middle` from one observation of each child.
Interval interval_of(const std::vector<double>& medians, double middle) {
  if (medians.size() < kEnoughForRanks) {
    const double reach =
        student_t_95(medians.size() - 1) * standard_deviation(medians) / std::sqrt(static_cast<double>(medians.size()));
    return {middle - reach, middle + reach};
  }
  const Interval interval = median_interval(medians);
  return {std::min(interval.low, middle), std::max(interval.high, middle)};
}

/// Half the width of Welch's 95 % interval for a difference of means.
double welch_reach(const std::vector<double>& a, const std::vector<double>& b) {
  const auto variance_of_mean = [](const std::vector<double>& values) {
    const double deviation = standard_deviation(values);
    return deviation * deviation / static_cast<double>(values.size());
  };
  const double var_a = variance_of_mean(a);
  const double var_b = variance_of_mean(b);
  if (var_a + var_b == 0) return 0;
  const double freedom =
      (var_a + var_b) * (var_a + var_b) /
      (var_a * var_a / static_cast<double>(a.size() - 1) + var_b * var_b / static_cast<double>(b.size() - 1));
  return student_t_95(std::max<std::size_t>(1, static_cast<std::size_t>(freedom))) * std::sqrt(var_a + var_b);
}

}  // namespace

Interval hierarchical_interval(std::span<const std::vector<double>> by_child) {
  const std::vector<double> all = pooled(by_child);
  const std::vector<double> medians = child_medians(by_child);
  if (medians.size() < 2) return median_interval(all);
  return interval_of(medians, median(all));
}

std::optional<Interval> ratio_interval(std::span<const std::vector<double>> a, std::span<const std::vector<double>> b) {
  const auto logs = [](std::span<const std::vector<double>> by_child) {
    std::vector<double> values = child_medians(by_child);
    std::erase_if(values, [](double value) { return !(value > 0); });
    for (double& value : values) value = std::log(value);
    return values;
  };
  const std::vector<double> log_a = logs(a);
  const std::vector<double> log_b = logs(b);
  if (log_a.size() < 2 || log_b.size() < 2) return std::nullopt;
  const double median_a = median(pooled(a));
  const double median_b = median(pooled(b));
  if (!(median_a > 0 && median_b > 0)) return std::nullopt;
  const double middle_a = std::log(median_a);
  const double middle_b = std::log(median_b);
  const double centre = middle_b - middle_a;
  if (std::max(log_a.size(), log_b.size()) < kEnoughForRanks) {
    const double reach = welch_reach(log_a, log_b);
    return Interval{std::exp(centre - reach), std::exp(centre + reach)};
  }
  const Interval of_a = interval_of(log_a, middle_a);
  const Interval of_b = interval_of(log_b, middle_b);
  return Interval{std::exp(centre - std::hypot(middle_b - of_b.low, of_a.high - middle_a)),
                  std::exp(centre + std::hypot(of_b.high - middle_b, middle_a - of_a.low))};
}

WallWatch pooled(const WallWatch& first, std::uint64_t samples, const WallWatch& second, std::uint64_t more_samples) {
  const auto choose = [](const std::optional<double>& x, const std::optional<double>& y, auto pick) {
    return x && y ? std::optional(pick(*x, *y)) : x ? x : y;
  };
  const auto weight =
      static_cast<double>(samples) / static_cast<double>(std::max<std::uint64_t>(1, samples + more_samples));
  WallWatch watch{.frequency_mhz_low = choose(first.frequency_mhz_low, second.frequency_mhz_low,
                                              [](double x, double y) { return std::min(x, y); }),
                  .frequency_mhz_high = choose(first.frequency_mhz_high, second.frequency_mhz_high,
                                               [](double x, double y) { return std::max(x, y); }),
                  .steal_share = choose(first.steal_share, second.steal_share,
                                        [&](double x, double y) { return x * weight + y * (1 - weight); }),
                  .throttled = first.throttled};
  for (const std::uint64_t index : second.throttled) watch.throttled.push_back(index + samples);
  return watch;
}

Wall summarize_wall(const WallSamples& samples) {
  Wall wall;
  wall.number_per_run = samples.number_per_run;
  wall.overhead_s = samples.overhead_s;
  wall.replicates_s = pooled(samples.by_child);
  for (const auto& child : samples.by_child) wall.samples_per_child.push_back(child.size());
  wall.median_s = median(wall.replicates_s);
  wall.mean_s = mean(wall.replicates_s);
  wall.iqr_s = interquartile_range(wall.replicates_s);
  wall.interval_s = hierarchical_interval(samples.by_child);
  wall.watch = samples.watch;
  return wall;
}

std::vector<std::vector<double>> samples_by_child(const Wall& wall) {
  std::vector<std::vector<double>> by_child;
  std::size_t from = 0;
  for (const std::uint64_t count : wall.samples_per_child) {
    const std::size_t to = std::min<std::size_t>(wall.replicates_s.size(), from + count);
    by_child.emplace_back(wall.replicates_s.begin() + static_cast<std::ptrdiff_t>(from),
                          wall.replicates_s.begin() + static_cast<std::ptrdiff_t>(to));
    from = to;
  }
  return by_child;
}

std::vector<std::string> wall_flags(const WallSamples& samples, double precision) {
  std::vector<std::string> flags;
  if (is_bimodal(pooled(samples.by_child))) flags.emplace_back("bimodal");
  if (is_drifting(samples.by_child)) flags.emplace_back("drifting");
  if (child_medians(samples.by_child).size() < 2) flags.emplace_back("one_child");
  const Interval interval = hierarchical_interval(samples.by_child);
  if (interval.half_width() > precision * std::abs(interval.low + interval.high) / 2) flags.emplace_back("imprecise");
  if (samples.watch && !samples.watch->throttled.empty()) flags.emplace_back("throttled");
  if (samples.watch && samples.watch->steal_share.value_or(0) > kMuchStolen) flags.emplace_back("stolen");
  const double block_s = median(pooled(samples.by_child)) * static_cast<double>(samples.number_per_run);
  if (block_s <= samples.clock_s) flags.emplace_back("below_clock");
  return flags;
}

bool is_bimodal(std::span<const double> samples) {
  if (samples.size() < 20) return false;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const auto n = sorted.size();
  const double centre = median(sorted);
  // Prefix sums about the median keep the variances of nanosecond samples from cancelling away.
  std::vector<double> sum(n + 1, 0.0);
  std::vector<double> square(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = sorted[i] - centre;
    sum[i + 1] = sum[i] + value;
    square[i + 1] = square[i] + value * value;
  }
  const auto within = [&](std::size_t from, std::size_t to) {
    const auto count = static_cast<double>(to - from);
    const double total = sum[to] - sum[from];
    return std::max(0.0, square[to] - square[from] - total * total / count);
  };
  const std::size_t least = std::max<std::size_t>(3, n / 10);
  // The extreme twentieths are outliers, not part of a mode's width.
  const std::size_t trim = n / 20;
  std::size_t best = 0;
  double best_within = 0;
  for (std::size_t cut = least + trim; cut + least + trim <= n; ++cut) {
    const double inside = within(trim, cut) + within(cut, n - trim);
    if (best == 0 || inside < best_within) {
      best = cut;
      best_within = inside;
    }
  }
  if (best == 0) return false;
  const auto middle = [&](std::size_t from, std::size_t to) {
    return (sum[to] - sum[from]) / static_cast<double>(to - from);
  };
  const double distance = middle(best, n - trim) - middle(trim, best);
  const double variance = within(trim, best) / static_cast<double>(best - trim) +
                          within(best, n - trim) / static_cast<double>(n - trim - best);
  // Ashman's D. One normal cut in two at its middle gives 2.6, a uniform 3.5, so only more than 5 speaks of two modes.
  constexpr double clearly_two = 5;
  return distance > 0.01 * centre && distance > clearly_two * std::sqrt(variance / 2);
}

bool is_drifting(std::span<const std::vector<double>> by_child) {
  double score = 0;
  double variance = 0;
  double change = 0;
  double children = 0;
  for (const auto& child : by_child) {
    // Thousands of samples would make the pairwise test slow and add nothing: thin to at most 100, keeping order.
    const std::size_t step = std::max<std::size_t>(1, child.size() / 100);
    std::vector<double> thin;
    for (std::size_t i = 0; i < child.size(); i += step) thin.push_back(child[i]);
    if (thin.size() < 9) continue;
    const auto n = static_cast<double>(thin.size());
    for (std::size_t i = 0; i < thin.size(); ++i) {
      for (std::size_t j = i + 1; j < thin.size(); ++j) score += (thin[j] > thin[i]) - (thin[j] < thin[i]);
    }
    variance += n * (n - 1) * (2 * n + 5) / 18;
    const std::span<const double> all = thin;
    const double first = median(all.first(all.size() / 3));
    change += (median(all.last(all.size() / 3)) - first) / (first > 0 ? first : 1);
    ++children;
  }
  if (children == 0) return false;
  return std::abs(score) > 4 * std::sqrt(variance) && std::abs(change / children) > 0.01;
}

}  // namespace tally
