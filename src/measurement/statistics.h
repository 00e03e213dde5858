/// Order statistics and the few distribution facts that counts and times share. Pure; nothing here knows a unit.
///
/// Every function takes its samples in any order unless it says otherwise; an empty input gives 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tally {

double mean(std::span<const double> values);
double median(std::span<const double> values);
double median(std::span<const std::uint64_t> values);

/// Linear interpolation between order statistics (Hyndman & Fan's type 7, what NumPy does); `q` within 0 … 1.
double quantile(std::span<const double> values, double q);
double interquartile_range(std::span<const double> values);

/// Sample standard deviation (n − 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> values);

/// Two-sided 95 % point of Student's t, that is P(|T| < t) = 0.95. Exact table to 30 degrees of freedom, then
/// within 0.1 % of the truth.
double student_t_95(std::size_t degrees_of_freedom);

struct Interval {
  double low = 0;
  double high = 0;
  [[nodiscard]] double half_width() const { return (high - low) / 2; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Distribution-free 95 % interval of the median: from the k-th smallest to the k-th largest value, k the largest rank
/// that a fair coin allows (the sign test turned round). Fewer than six values cannot give 95 %: then the whole range,
/// at less.
Interval median_interval(std::span<const double> values);

/// How many significant figures of `value` an uncertainty of ± `half_width` supports: the last one shown is the first
/// that is in doubt. Between 1 and `most`; `most` when the half width is 0.
int supported_figures(double value, double half_width, int most = 6);

}  // namespace tally
