/// The cases of one record against each other: rows and columns by axes, one metric. Pure.
///
/// Every case with a value on all column axes is in exactly one cell; the others are named in `left_out`. What neither
/// rows nor columns say, and in which cases differ, distinguishes the sections.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comparison/axes.h"

namespace tally {

struct PivotRequest {
  std::vector<std::string> rows;     ///< Axes; empty: all in which the cases differ, without the columns'.
  std::vector<std::string> columns;  ///< Axes; empty: the one that puts the most cases beside each other.
  Metric metric = Metric::instructions;
};

/// Within its row. Values whose ranges overlap are equal; a row without two unequal ones has no marks.
enum class Standing { none, best, worst };

struct PivotCell {
  const CaseRecord* of = nullptr;  ///< Null where there is no such case.
  std::optional<MetricValue> value;
  Standing standing = Standing::none;
};

struct PivotRow {
  std::vector<std::string> heading;  ///< A value for each row axis, empty where the cases have none.
  std::vector<PivotCell> cells;      ///< One for each column.
  std::optional<Complexity> complexity;
};

struct PivotSection {
  std::vector<std::pair<std::string, std::string>> common;  ///< Axis and value; empty where there is one section.
  std::vector<PivotRow> rows;
  std::vector<std::optional<Complexity>> complexity;  ///< For each column, down the rows.
};

struct Pivot {
  Metric metric = Metric::instructions;
  std::vector<std::string> row_axes;
  std::vector<std::string> column_axes;
  std::vector<std::vector<std::string>> columns;  ///< A value for each column axis.
  std::vector<PivotSection> sections;
  std::vector<const CaseRecord*> left_out;
  /// The number that complexity is fitted over, and whether it grows to the right or downwards; empty when neither is
  /// one numeric axis.
  std::string growth_axis;
  bool grows_along_rows = false;  ///< The columns are the numbers: each row has a complexity.
};

/// An axis that no case has is an error, which lists those that there are; so is one that stands in both places.
Result<Pivot> pivot(const Record& record, const PivotRequest& request);

}  // namespace tally
