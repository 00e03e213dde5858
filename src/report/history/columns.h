/// The columns that the page of a history reads: numbers by their differences, which are small and pack well. Internal
/// to src/report; src/web/history/data.js reads them.
#pragma once

#include <cstdint>

#include "history/series.h"
#include "json/value.h"

namespace tally {

/// Whole numbers, each as its difference from the one before it, the first from 0.
class Differences {
 public:
  void add(std::int64_t number) {
    column_.emplace_back(number - last_);
    last_ = number;
  }
  json::Array take() { return std::move(column_); }

 private:
  std::int64_t last_ = 0;
  json::Array column_;
};

/// The points of a case of the history that have counts, or report a value in their place:
///
/// { "scale": 1000, "run": [..], "counts": [..],
///   "time": { "unit_s": 1e-11, "point": [..], "median": [..], "below": [..], "above": [..], "processor": [..] } }
///
/// "counts" are of instructions, or of values, × scale; "point" says which points have a time, "below" and "above" how
/// far its interval reaches from its median, in units. "processor" numbers those that the times are of: times of two
/// are not compared. It is there only where they are several. "run", "counts", "point" and "median" are differences.
json::Object series_json(const CaseSeries& series, const History& history);

/// A course in small: at most 60 counts as shares of its height, 0 to 99; in the middle where all are equal.
json::Array spark_json(const CaseSeries& series);

}  // namespace tally
