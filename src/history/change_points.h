/// Finds where the level of a noisy series changes, such as that of the median times of a case's runs. Pure and
/// deterministic.
///
/// E-divisive (Matteson & James, arXiv 1306.4933) as Hunter does it (Fleming et al., arXiv 2301.03034): it cuts each of
/// many overlapping windows where its two parts diverge most (history/energy_split.h), and the parts again, as long as
/// a significance test lets it; then the weakest point is taken away, again and again, and those beside it are judged
/// anew by what lies between their neighbours. So a point's p-value is that among points that are all surer than
/// itself: one between two doubtful ones was 2.5 times as often below 0.0003 as it should have been. A window begins at
/// the same place however long the series becomes, so later runs leave alone what was found long before them.
///
/// Otherwise than Hunter's, the p-value is one of ranks, and of a cut that was looked for
/// (history/step_significance.h): it holds for noise of any distribution, so that those of many cases can be judged
/// together (history/time_steps.h). A slow ramp comes out as steps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tally {

struct ChangePointOptions {
  double least_change = 0.01;  ///< Of the medians before and after; smaller ones are no points.
  double greatest_p = 0.05;    ///< Of one series alone. Greater ones are no points.
  std::size_t window = 64;     ///< Values; a point is judged by as many before it and after it, at the most.
};

/// How many values of a new level make it no longer provisional.
inline constexpr std::size_t kSettledAfter = 4;

struct ChangePoint {
  std::size_t index = 0;  ///< The first value of the new level.
  double before = 0;      ///< The median since the point before it, within the window.
  double after = 0;       ///< The median up to the next point, within the window.
  double p_value =
      1;  ///< That something like it is found where nothing changed, in the stretch between its neighbours.
  bool provisional = false;  ///< The new level has fewer than kSettledAfter values.

  /// After against before, less one; 0 where that has no meaning (a level of 0).
  [[nodiscard]] double change() const { return before == 0 ? 0 : after / before - 1; }
};

/// By index. The series has no NaN. A level has two values at least: a single one is a spike.
std::vector<ChangePoint> change_points(std::span<const double> series, const ChangePointOptions& options = {});

}  // namespace tally
