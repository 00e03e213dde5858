#include "comparison/pivot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <unordered_map>

#include "base/text.h"

namespace tally {
namespace {

constexpr std::size_t kValuesNamed = 6;

/// "n (4, 16, 64)".
std::string axis_text(const Axis& axis) {
  if (axis.name == "label") return axis.name;
  std::vector<std::string> values(
      axis.values.begin(), axis.values.begin() + std::ranges::ssize(axis.values | std::views::take(kValuesNamed)));
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
        return fail(ErrorKind::input, fmt::format("the axis '{}' is requested twice", name), {},
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

std::vector<std::string> values_on(const CaseDescription& one, const std::vector<std::string>& axes) {
  std::vector<std::string> values;
  values.reserve(axes.size());
  for (const std::string& axis : axes) values.push_back(value_on(one, axis).value_or(""));
  return values;
}

/// Rows and columns come in the order of the axes' values, which is that of the plan where they are no numbers.
class Ranks {
 public:
  Ranks(const std::vector<std::string>& names, const std::vector<Axis>& axes) : places_(names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::vector<std::string>& known = axis_named(axes, names[i]).values;
      for (std::size_t place = 0; place < known.size(); ++place) places_[i].emplace(known[place], place);
    }
  }

  /// A value that no case has comes behind all others.
  [[nodiscard]] std::vector<std::size_t> of(const std::vector<std::string>& values) const {
    std::vector<std::size_t> rank;
    rank.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto found = places_[i].find(values[i]);
      rank.push_back(found == places_[i].end() ? places_[i].size() : found->second);
    }
    return rank;
  }

 private:
  std::vector<std::unordered_map<std::string, std::size_t>> places_;  ///< For each axis, those of its values.
};

/// Puts each case into its cell, in time that grows with the cases: 75,000 took more than 300 s when each looked
/// through the rows that were there.
class Builder {
 public:
  Builder(const Record& record, const std::vector<Axis>& axes, Pivot& result)
      : record_(record), result_(result), row_ranks_(result.row_axes, axes), column_ranks_(result.column_axes, axes) {
    std::vector<std::string> named = result.row_axes;
    named.insert(named.end(), result.column_axes.begin(), result.column_axes.end());
    section_axes_ = varying(axes, record, named);
  }

  void build() {
    find_columns();
    for (const CaseRecord& one : record_.cases) {
      if (has_columns(one)) place(one);
    }
    for (std::size_t i = 0; i < result_.sections.size(); ++i) fill_rows(result_.sections[i], drafts_[i]);
  }

 private:
  /// Cases of one heading, by column: that of the first row, of the second …
  using Draft = std::map<std::size_t, std::vector<const CaseRecord*>>;
  /// By the rank of the heading, and the heading.
  using Drafts = std::map<std::pair<std::vector<std::size_t>, std::vector<std::string>>, Draft>;

  [[nodiscard]] bool has_columns(const CaseRecord& one) const {
    return std::ranges::all_of(result_.column_axes,
                               [&](const std::string& axis) { return value_on(one, axis).has_value(); });
  }

  void find_columns() {
    std::map<std::vector<std::size_t>, std::vector<std::string>> columns;  // by rank
    for (const CaseRecord& one : record_.cases) {
      if (!has_columns(one)) {
        result_.left_out.push_back(&one);
        continue;
      }
      std::vector<std::string> values = values_on(one, result_.column_axes);
      columns.try_emplace(column_ranks_.of(values), std::move(values));
    }
    for (auto& [rank, values] : columns) {
      column_places_.emplace(rank, result_.columns.size());
      result_.columns.push_back(std::move(values));
    }
  }

  std::size_t section_of(const CaseRecord& one) {
    const std::vector<std::string> values = values_on(one, section_axes_);
    const auto [at, is_new] = sections_.try_emplace(values, result_.sections.size());
    if (!is_new) return at->second;
    drafts_.emplace_back();
    PivotSection& section = result_.sections.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].empty()) section.common.emplace_back(section_axes_[i], values[i]);
    }
    return at->second;
  }

  void place(const CaseRecord& one) {
    const std::size_t column = column_places_.at(column_ranks_.of(values_on(one, result_.column_axes)));
    std::vector<std::string> heading = values_on(one, result_.row_axes);
    std::vector<std::size_t> rank = row_ranks_.of(heading);
    drafts_[section_of(one)][{std::move(rank), std::move(heading)}][column].push_back(&one);
  }

  void fill_rows(PivotSection& section, const Drafts& drafts) {
    for (const auto& [key, columns] : drafts) {
      // A cell that is taken, by a case whose label reads the same, is not written over.
      std::size_t rows = 0;
      for (const auto& [column, cases] : columns) rows = std::max(rows, cases.size());
      for (std::size_t row = 0; row < rows; ++row) {
        PivotRow& filled = section.rows.emplace_back(
            PivotRow{.heading = key.second, .cells = std::vector<PivotCell>(result_.columns.size())});
        for (const auto& [column, cases] : columns) {
          if (row < cases.size())
            filled.cells[column] = {.of = cases[row], .value = metric_of(*cases[row], result_.metric)};
        }
      }
    }
  }

  const Record& record_;
  Pivot& result_;
  Ranks row_ranks_;
  Ranks column_ranks_;
  std::vector<std::string> section_axes_;
  std::map<std::vector<std::string>, std::size_t> sections_;
  std::map<std::vector<std::size_t>, std::size_t> column_places_;  ///< By rank.
  std::vector<Drafts> drafts_;                                     ///< Of each section.
};

/// What benchmarks report is in units of their own; what else a metric is has one.
bool have_one_unit(const std::vector<const PivotCell*>& cells, Metric metric) {
  if (metric != Metric::value) return true;
  const std::string* unit = nullptr;
  for (const PivotCell* const cell : cells) {
    if (!cell->value) continue;
    const std::string& its = cell->of->reported->unit;
    if (unit != nullptr && *unit != its) return false;
    unit = &its;
  }
  return true;
}

std::vector<const PivotCell*> cells_of(const PivotRow& row) {
  std::vector<const PivotCell*> cells;
  cells.reserve(row.cells.size());
  for (const PivotCell& cell : row.cells) cells.push_back(&cell);
  return cells;
}

void mark_row(PivotRow& row, Metric metric) {
  if (!have_one_unit(cells_of(row), metric)) return;
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
std::optional<Complexity> fit_over(const std::vector<const PivotCell*>& cells, const std::vector<std::string>& numbers,
                                   Metric metric) {
  if (!have_one_unit(cells, metric)) return std::nullopt;
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
      row.complexity = fit_over(cells_of(row), numbers, result.metric);
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
      section.complexity.push_back(fit_over(cells, numbers, result.metric));
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
    for (PivotRow& row : section.rows) mark_row(row, request.metric);
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
