/// Computes a median, a confidence interval, and flags for what a median would hide, from samples of wall time.
///
/// Owns: the `Wall` of a record. Never takes a clock. All times are seconds for one execution of the statement.
///
/// The interval is hierarchical. Samples of one child share its memory layout, so they are not independent: five
/// children of a thousand samples sample five layouts, not five thousand. Each child's median is one observation.
/// Up to eight of them give Student's 95 % interval, centred on the pooled median: of 2,000 simulated statements with
/// five children of 20 samples (2 % between, 1 % within) it covered the truth in 95.1 %, a bootstrap of children and
/// then samples in 87.5 %, and samples taken as independent in 39.8 %. From nine on their ranks give it
/// (median_interval), because a neighbour on the machine makes some children slow, and Student's then never ends:
/// of 3,000 simulated statements (0.4 % between, one child in seven 5 to 50 % slower) it took 16 children to 1 % where
/// ranks take 9.5; and where two layouts are equally frequent, 25 children covered the median in 96 % by ranks, in 51 %
/// by Student's (bench/intervals/simulate.py).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measurement/statistics.h"

namespace tally {

/// What was seen of the machine while the samples were taken.
struct WallWatch {
  std::optional<double> frequency_mhz_low;
  std::optional<double> frequency_mhz_high;
  std::optional<double> steal_share;     ///< Of the CPU time that the samples spanned, 0 … 1.
  std::vector<std::uint64_t> throttled;  ///< Indexes into replicates_s.
  friend bool operator==(const WallWatch&, const WallWatch&) = default;
};

/// From this share on, samples are of the machine's other guests as much as of the statement.
inline constexpr double kMuchStolen = 0.01;

/// Of two groups of samples, the second's indexes following the first's.
WallWatch pooled(const WallWatch& first, std::uint64_t samples, const WallWatch& second, std::uint64_t more_samples);

/// Where in a run's journal a case with its samples stands.
struct StoredSamples {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  double least_s = 0;  ///< Of the samples.
  double most_s = 0;
  friend bool operator==(const StoredSamples&, const StoredSamples&) = default;
};

struct Wall {
  double median_s = 0;
  double mean_s = 0;
  double iqr_s = 0;
  Interval interval_s;                           ///< 95 %, of the median.
  std::uint64_t number_per_run = 1;              ///< Executions in one sample.
  double overhead_s = 0;                         ///< Loop overhead already taken off every sample.
  std::vector<double> replicates_s;              ///< In the order taken, child after child.
  std::vector<std::uint64_t> samples_per_child;  ///< Sums to the size of replicates_s.
  std::optional<StoredSamples> stored;           ///< When set, the two above are empty here, and lie there. Such a
                                                 ///< case is never written as JSON: its own text is read back.
  std::optional<WallWatch> watch;
  friend bool operator==(const Wall&, const Wall&) = default;
};

struct WallSamples {
  std::uint64_t number_per_run = 1;
  double overhead_s = 0;                      ///< The measurement has subtracted it; stated, not subtracted again.
  double clock_s = 0;                         ///< The clock's resolution; 0: it took no part, or is unknown.
  std::vector<std::vector<double>> by_child;  ///< Seconds per execution, in the order taken.
  std::optional<WallWatch> watch;             ///< Its indexes count the samples child after child.
};

Wall summarize_wall(const WallSamples& samples);

/// The samples of a stored Wall again, grouped by child, so that intervals can be recomputed.
std::vector<std::vector<double>> samples_by_child(const Wall& wall);

/// See the top. With a single child its order statistics give the interval: too narrow, and flagged "one_child".
Interval hierarchical_interval(std::span<const std::vector<double>> by_child);

/// 95 % interval of median(b) / median(a) by the same reasoning, on the logarithms of the children's medians: Welch's
/// up to eight children a side, and from nine on the two intervals joined by their distances from the medians (MOVER:
/// Zou & Donner, 2008). Empty when either side has fewer than two children whose median is above 0, or its own is not:
/// of a statement that takes no time the empty loop may take more.
std::optional<Interval> ratio_interval(std::span<const std::vector<double>> a, std::span<const std::vector<double>> b);

/// "bimodal", "drifting", "one_child", "imprecise" (the interval's half width exceeds `precision`), "throttled" (some
/// samples), "stolen" (over 1 % of the time), "below_clock" (the median is nothing that the clock could distinguish
/// from 0), in this order.
std::vector<std::string> wall_flags(const WallSamples& samples, double precision);

/// Two groups of at least a tenth of the samples each, far apart beside their own widths, and by 1 % of the median.
bool is_bimodal(std::span<const double> samples);

/// A trend within the children, in time order: Mann and Kendall's test pooled over children at z > 4, and 1 % or more
/// from the first to the last third.
bool is_drifting(std::span<const std::vector<double>> by_child);

}  // namespace tally
