#include "report/json/pivot_exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "json/text.h"
#include "report/json/growth_json.h"
#include "report/text/escape.h"
#include "report/text/pivot_table.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

std::string_view to_string(Standing standing) {
  static constexpr std::array<std::string_view, 3> words = {"", "best", "worst"};
  return words.at(static_cast<std::size_t>(standing));
}

Object values_json(const std::vector<std::string>& axes, const std::vector<std::string>& values) {
  Object json;
  for (std::size_t i = 0; i < axes.size(); ++i) json[axes[i]] = values[i];
  return json;
}

Value cell_json(const PivotCell& cell, Metric metric) {
  if (cell.of == nullptr) return {};
  Object json = {{"id", cell.of->id}, {"status", to_string(cell.of->status)}};
  if (cell.value) {
    json["value"] = cell.value->value;
    if (cell.of->reported && metric == Metric::value) json["unit"] = cell.of->reported->unit;
    json["range"] = Array{cell.value->range.low, cell.value->range.high};
  }
  if (cell.standing != Standing::none) json["standing"] = to_string(cell.standing);
  return json;
}

Object section_json(const Pivot& pivot, const PivotSection& section) {
  Object common;
  for (const auto& [axis, value] : section.common) common[axis] = value;
  Array rows;
  for (const PivotRow& row : section.rows) {
    Array cells;
    for (const PivotCell& cell : row.cells) cells.push_back(cell_json(cell, pivot.metric));
    Object json = {{"heading", values_json(pivot.row_axes, row.heading)}, {"cells", std::move(cells)}};
    if (pivot.grows_along_rows) json["complexity"] = complexity_json(row.complexity);
    rows.push_back(std::move(json));
  }
  Object json = {{"common", std::move(common)}, {"rows", std::move(rows)}};
  if (section.complexity.empty()) return json;
  Array fits;
  for (const auto& complexity : section.complexity) fits.push_back(complexity_json(complexity));
  json["complexity"] = std::move(fits);
  return json;
}

std::string number(const std::optional<MetricValue>& value) {
  return value && std::isfinite(value->value) ? fmt::format("{}", value->value) : "";
}

/// The axes that distinguish any section, in the order of the first that has them.
std::vector<std::string> section_axes(const Pivot& pivot) {
  std::vector<std::string> axes;
  for (const PivotSection& section : pivot.sections) {
    for (const auto& [axis, value] : section.common) {
      if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    }
  }
  return axes;
}

std::string csv_line(const std::vector<std::string>& fields) { return join(fields, ",") + "\n"; }

std::vector<std::string> csv_row(const Pivot& pivot, const PivotSection& section, const PivotRow& row,
                                 const std::vector<std::string>& axes) {
  std::vector<std::string> line;
  for (const std::string& axis : axes) {
    const auto at = std::ranges::find(section.common, axis, &std::pair<std::string, std::string>::first);
    line.push_back(at == section.common.end() ? "" : csv_field(at->second));
  }
  for (const std::string& value : row.heading) line.push_back(csv_field(value));
  for (const PivotCell& cell : row.cells) line.push_back(number(cell.value));
  if (!pivot.grows_along_rows) return line;
  line.push_back(csv_field(order_text(row.complexity)));
  line.push_back(row.complexity ? fmt::format("{}", row.complexity->fit().residual) : "");
  return line;
}

}  // namespace

std::string to_csv(const Pivot& pivot) {
  const std::vector<std::string> axes = section_axes(pivot);
  std::vector<std::string> head;
  for (const auto* names : {&axes, &pivot.row_axes}) {
    for (const std::string& axis : *names) head.push_back(csv_field(axis));
  }
  for (const auto& values : pivot.columns) {
    std::vector<std::string> parts;
    parts.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) parts.push_back(pivot.column_axes[i] + "=" + values[i]);
    head.push_back(csv_field(join(parts, " ")));
  }
  if (pivot.grows_along_rows) head.insert(head.end(), {"complexity", "residual"});
  std::string out = csv_line(head);
  for (const PivotSection& section : pivot.sections) {
    for (const PivotRow& row : section.rows) out += csv_line(csv_row(pivot, section, row, axes));
  }
  return out;
}

std::string to_json(const Pivot& pivot) {
  Array columns;
  for (const auto& values : pivot.columns) columns.push_back(values_json(pivot.column_axes, values));
  Array sections;
  for (const PivotSection& section : pivot.sections) sections.push_back(section_json(pivot, section));
  Array left_out;
  for (const CaseRecord* one : pivot.left_out) left_out.push_back(one->id);
  Object json = {{"metric", tally::to_string(pivot.metric)},
                 {"rows", pivot.row_axes},
                 {"columns", pivot.column_axes},
                 {"column_values", std::move(columns)},
                 {"growth_axis", pivot.growth_axis.empty() ? Value() : Value(pivot.growth_axis)},
                 {"sections", std::move(sections)},
                 {"left_out", std::move(left_out)}};
  return json::to_text(std::move(json), 1) + "\n";
}

}  // namespace tally
