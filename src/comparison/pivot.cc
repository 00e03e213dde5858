#include "comparison/pivot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "base/text.h"

namespace tally {
namespace {

constexpr std::size_t values_named = 6;

/// "n (4, 16, 64)".
std::string axis_text(const Axis& axis) {
  if (axis.name == "label") return axis.name;
  std::vector<std::string> values(
      axis.values.begin(), axis.values.begin() + std::ranges::ssize(axis.values | std::views::take(values_named)));
  if (values.size() < axis.values.size()) values.emplace_back("…");
  return axis.name + " (" + join(values, ", ") + ")";
}

std::string axes_text(const std::vector<Axis>& axes) {
  std::vector<std::string> texts;
  texts.reserve(axes.size());
  for (const Axis& axis : axes) texts.push_back(axis_text(axis));
  return join(texts, ", ");
}

std::unexpected<Error> unknown_axis(const std::string& name, const std::vector<Axis>& axes) {
  std::vector<std::string_view> names;
  names.reserve(axes.size());
  for (const Axis& axis : axes) names.push_back(axis.name);
  const std::string near = nearest(name, names);
  return fail(ErrorKind::input, fmt::format("no case has an axis '{}'", name), {},
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "there are " + axes_text(axes));
}

const Axis& axis_named(const std::vector<Axis>& axes, const std::string& name) {
  return *std::ranges::find(axes, name, &Axis::name);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Status check_axes(const std::vector<Axis>& axes, const PivotRequest& request) {
  std::vector<std::string> seen;
  for (const auto* names : {&request.rows, &request.columns}) {
    for (const std::string& name : *names) {
      if (std::ranges::find(axes, name, &Axis::name) == axes.end()) return unknown_axis(name, axes);
      if (contains(seen, name)) {
        return fail(ErrorKind::input, fmt::format("the axis '{}' is asked for twice", name), {},
                    "an axis makes rows or columns, once");
      }
      seen.push_back(name);
    }
  }
  return {};
}

/// The axis with the most siblings; of equals a parameter that is a number, then as axes_of() has them.
Result<std::string> best_column(const Record& record, const std::vector<Axis>& axes,
                                const std::vector<std::string>& rows) {
  std::string best;
  std::size_t most = 0;
  const auto consider = [&](const Axis& axis) {
    if (axis.name == "label" || contains(rows, axis.name)) return;
    const std::size_t siblings = cases_with_siblings(record, axes, axis.name);
    if (siblings <= most) return;
    most = siblings;
    best = axis.name;
  };
  for (const Axis& axis : axes) {
    if (axis.numeric && axis.name != "threads") consider(axis);
  }
  for (const Axis& axis : axes) consider(axis);
  if (!best.empty()) return best;
  return fail(ErrorKind::input, "no two cases differ on one axis alone, so nothing stands side by side", {},
              "name an axis with --columns; the axes are " + axes_text(axes));
}

std::vector<std::string> varying(const std::vector<Axis>& axes, const Record& record,
                                 const std::vector<std::string>& without) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    if (contains(without, axis.name)) continue;
    const bool everywhere =
        std::ranges::all_of(record.cases, [&](const CaseRecord& one) { return value_on(one, axis.name).has_value(); });
    if (axis.name == "label" || axis.values.size() > 1 || !everywhere) names.push_back(axis.name);
  }
  return names;
}

std::vector<std::string> values_on(const CaseRecord& one, const std::vector<std::string>& axes) {
  std::vector<std::string> values;
  values.reserve(axes.size());
  for (const std::string& axis : axes) values.push_back(value_on(one, axis).value_or(""));
  return values;
}

/// Rows and columns come in the order of the axes' values, which is that of the plan where they are no numbers.
std::vector<std::size_t> rank_of(const std::vector<std::string>& values, const std::vector<std::string>& names,
                                 const std::vector<Axis>& axes) {
  std::vector<std::size_t> rank;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<std::string>& known = axis_named(axes, names[i]).values;
    rank.push_back(static_cast<std::size_t>(std::ranges::find(known, values[i]) - known.begin()));
  }
  return rank;
}

class Builder {
 public:
  Builder(const Record& record, const std::vector<Axis>& axes, Pivot& result)
      : record_(record), axes_(axes), result_(result) {
    std::vector<std::string> named = result.row_axes;
    named.insert(named.end(), result.column_axes.begin(), result.column_axes.end());
    section_axes_ = varying(axes, record, named);
  }

  void build() {
    find_columns();
    for (const CaseRecord& one : record_.cases) {
      if (has_columns(one)) place(one);
    }
  }

 private:
  [[nodiscard]] bool has_columns(const CaseRecord& one) const {
    return std::ranges::all_of(result_.column_axes,
                               [&](const std::string& axis) { return value_on(one, axis).has_value(); });
  }

  void find_columns() {
    for (const CaseRecord& one : record_.cases) {
      if (!has_columns(one)) {
        result_.left_out.push_back(&one);
        continue;
      }
      const std::vector<std::string> values = values_on(one, result_.column_axes);
      if (std::ranges::find(result_.columns, values) != result_.columns.end()) continue;
      const auto behind = std::ranges::upper_bound(
          result_.columns, rank_of(values, result_.column_axes, axes_), {},
          [&](const std::vector<std::string>& other) { return rank_of(other, result_.column_axes, axes_); });
      result_.columns.insert(behind, values);
    }
  }

  PivotSection& section_of(const CaseRecord& one) {
    const std::vector<std::string> values = values_on(one, section_axes_);
    const auto [at, is_new] = sections_.try_emplace(values, result_.sections.size());
    if (!is_new) return result_.sections[at->second];
    PivotSection& section = result_.sections.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].empty()) section.common.emplace_back(section_axes_[i], values[i]);
    }
    return section;
  }

  void place(const CaseRecord& one) {
    const std::vector<std::string> heading = values_on(one, result_.row_axes);
    const auto column = static_cast<std::size_t>(
        std::ranges::find(result_.columns, values_on(one, result_.column_axes)) - result_.columns.begin());
    PivotSection& section = section_of(one);
    // A cell that is taken, by a case whose label reads the same, is not written over.
    auto row = std::ranges::find_if(section.rows, [&](const PivotRow& other) {
      return other.heading == heading && other.cells[column].of == nullptr;
    });
    if (row == section.rows.end()) {
      const auto behind = std::ranges::upper_bound(
          section.rows, rank_of(heading, result_.row_axes, axes_), {},
          [&](const PivotRow& other) { return rank_of(other.heading, result_.row_axes, axes_); });
      row = section.rows.insert(behind, {.heading = heading, .cells = std::vector<PivotCell>(result_.columns.size())});
    }
    row->cells[column] = {.of = &one, .value = metric_of(one, result_.metric)};
  }

  const Record& record_;
  const std::vector<Axis>& axes_;
  Pivot& result_;
  std::vector<std::string> section_axes_;
  std::map<std::vector<std::string>, std::size_t> sections_;
};

void mark_row(PivotRow& row) {
  std::vector<const Interval*> ranges;
  for (const PivotCell& cell : row.cells) {
    if (cell.value) ranges.push_back(&cell.value->range);
  }
  if (ranges.size() < 2) return;
  const auto by_value = [](const PivotCell& cell) { return cell.value ? cell.value->value : 0; };
  auto valued = row.cells | std::views::filter([](const PivotCell& cell) { return cell.value.has_value(); });
  const Interval best = std::ranges::min_element(valued, {}, by_value)->value->range;
  const Interval worst = std::ranges::max_element(valued, {}, by_value)->value->range;
  if (worst.low <= best.high) return;
  for (PivotCell& cell : valued) {
    const Interval& range = cell.value->range;
    const bool like_best = range.low <= best.high;
    const bool like_worst = range.high >= worst.low;
    if (like_best != like_worst) cell.standing = like_best ? Standing::best : Standing::worst;
  }
}

/// The fit over cells whose numbers stand in `numbers`.
std::optional<Complexity> fit_over(const std::vector<const PivotCell*>& cells,
                                   const std::vector<std::string>& numbers) {
  std::vector<GrowthPoint> points;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i]->value) points.push_back({.n = number_in(numbers[i]).value_or(0), .value = cells[i]->value->value});
  }
  return complexity_of(points);
}

void fit_rows(Pivot& result) {
  std::vector<std::string> numbers;
  numbers.reserve(result.columns.size());
  for (const auto& column : result.columns) numbers.push_back(column.front());
  for (PivotSection& section : result.sections) {
    for (PivotRow& row : section.rows) {
      std::vector<const PivotCell*> cells;
      cells.reserve(row.cells.size());
      for (const PivotCell& cell : row.cells) cells.push_back(&cell);
      row.complexity = fit_over(cells, numbers);
    }
  }
}

void fit_columns(Pivot& result) {
  for (PivotSection& section : result.sections) {
    std::vector<std::string> numbers;
    numbers.reserve(section.rows.size());
    for (const PivotRow& row : section.rows) numbers.push_back(row.heading.front());
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
      std::vector<const PivotCell*> cells;
      cells.reserve(section.rows.size());
      for (const PivotRow& row : section.rows) cells.push_back(&row.cells[c]);
      section.complexity.push_back(fit_over(cells, numbers));
    }
  }
}

bool is_one_number(const std::vector<std::string>& names, const std::vector<Axis>& axes) {
  return names.size() == 1 && axis_named(axes, names.front()).numeric;
}

}  // namespace

Result<Pivot> pivot(const Record& record, const PivotRequest& request) {
  const std::vector<Axis> axes = axes_of(record);
  if (const Status checked = check_axes(axes, request); !checked) return std::unexpected(checked.error());
  Pivot result{.metric = request.metric, .row_axes = request.rows, .column_axes = request.columns};
  if (result.column_axes.empty()) {
    Result<std::string> column = best_column(record, axes, request.rows);
    if (!column) return std::unexpected(column.error());
    result.column_axes = {*std::move(column)};
  }
  if (result.row_axes.empty()) result.row_axes = varying(axes, record, result.column_axes);
  Builder(record, axes, result).build();
  for (PivotSection& section : result.sections) {
    for (PivotRow& row : section.rows) mark_row(row);
  }
  if (is_one_number(result.column_axes, axes)) {
    result.growth_axis = result.column_axes.front();
    result.grows_along_rows = true;
    fit_rows(result);
  } else if (is_one_number(result.row_axes, axes)) {
    result.growth_axis = result.row_axes.front();
    fit_columns(result);
  }
  return result;
}

}  // namespace tally
