/// Changes of time that a history nominates: the change points of many cases' series, as many of them as the rate of
/// false discoveries allows. Pure and deterministic.
///
/// The family of tests: a case in a stretch of `window` runs is one test, whether anything was found there or not, and
/// every further point that it has there another one. The procedure of Benjamini and Hochberg holds the rate in every
/// stretch by itself. Over all of a history, a change would have to be the larger the longer the history is, and what
/// was nominated yesterday could be gone today; so, stretches without any change each have the rate's chance of a false
/// nomination. A stretch begins at the same run for ever; only the last one's nominations can still come and go.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "history/change_points.h"
#include "history/series.h"

namespace tally {

struct TimeStepOptions {
  ChangePointOptions points = {};
  double false_discovery_rate = 0.05;  ///< At most points.greatest_p.
};

/// One case in one environment.
struct TimeSeries {
  std::vector<std::size_t> runs;  ///< Their numbers, ascending.
  std::vector<double> seconds;    ///< One for each of `runs`; no NaN.
};

struct TimeStep {
  std::size_t of = 0;     ///< The series' place; of a history, the case's.
  std::size_t run = 0;    ///< The first one at the new level.
  std::size_t since = 0;  ///< The one before it in its series.
  ChangePoint point;      ///< Its index is that in the series.
};

/// By run, then by size of the change, largest first, then by series.
std::vector<TimeStep> time_steps(std::span<const TimeSeries> series, const TimeStepOptions& options = {});

/// Of a history, every environment by itself, and in it every processor. A case that was defined or measured otherwise
/// begins anew. Counts have no say in it. A history of one case is judged as if nobody had looked at others.
std::vector<TimeStep> time_steps(const History& history, const TimeStepOptions& options = {});

}  // namespace tally
