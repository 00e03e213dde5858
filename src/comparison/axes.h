/// Finds the axes on which the cases of a record differ, and series of cases that differ by one number alone. Pure.
///
/// An axis is one of the words that ids are made of ("label", "language", "runtime", "autograd", "threads") or the name
/// of a parameter. An axis is numeric when all of its values are numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/complexity.h"
#include "comparison/metric.h"
#include "record/record.h"

namespace tally {

struct Axis {
  std::string name;
  std::vector<std::string> values;  ///< That occur: numbers by size, other values as they come.
  bool numeric = false;
};

/// "64", "1.5", "1e6"; nothing for what is not wholly a finite number.
std::optional<double> number_in(std::string_view text);

/// What a case has on an axis; the label's parts are joined with " / ". Nothing where it has no parameter of this name.
std::optional<std::string> value_on(const CaseDescription& one, std::string_view axis);

/// Label, language, runtime, autograd, threads, then parameters as they come.
std::vector<Axis> axes_of(const Record& record);

/// What a case has on every axis but the `left_out` ones: equal for cases that differ on those alone. Absent values
/// differ from empty ones.
std::string identity_without(const CaseDescription& one, std::span<const Axis> axes,
                             std::span<const std::string> left_out);

/// How many cases have a sibling: another that differs from it on this axis alone.
std::size_t cases_with_siblings(const Record& record, std::span<const Axis> axes, const std::string& axis);

/// Cases that differ by a number alone.
struct Series {
  struct Point {
    double n = 0;
    const CaseRecord* of = nullptr;
  };
  std::string axis;
  std::vector<Point> points;  ///< By n; two or more. Failed cases are among them.
};

/// For each numeric axis, in the order of axes_of(), its series in plan order. They point into the record.
std::vector<Series> series_of(const Record& record);

/// The fit to those of its cases that have the metric.
std::optional<Complexity> complexity_of(const Series& series, Metric metric);

}  // namespace tally
