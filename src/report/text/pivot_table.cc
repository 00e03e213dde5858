#include "report/text/pivot_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_count.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "report/text/escape.h"
#include "report/text/format.h"

namespace tally {
namespace {

constexpr std::size_t kIdsNamed = 3;

/// "cpp", "torchscript" say what they are; a number does not: "n=64".
std::string axis_value_text(const std::string& axis, const std::string& value) {
  if (axis == "label" || axis == "language" || axis == "runtime" || axis == "autograd" || value.empty()) return value;
  return axis + "=" + value;
}

std::string heading_text(const std::vector<std::string>& axes, const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!values[i].empty()) parts.push_back(axis_value_text(axes[i], values[i]));
  }
  return join(parts, " ");
}

std::string section_text(const PivotSection& section) {
  std::vector<std::string> parts;
  parts.reserve(section.common.size());
  for (const auto& [axis, value] : section.common) parts.push_back(axis_value_text(axis, value));
  return join(parts, ", ");
}

/// What stands in a cell, unmarked.
std::string cell_text(const PivotCell& cell, Metric metric) {
  if (cell.value)
    return format_metric(*cell.value, metric, metric == Metric::value ? std::string_view(cell.of->reported->unit) : "");
  if (cell.of != nullptr && has_below_zero(*cell.of, metric)) return "below 0";
  if (cell.of == nullptr || cell.of->status == CaseStatus::ok) return "";
  return std::string(to_string(cell.of->status));
}

Cell marked_cell(const PivotCell& cell, Metric metric, bool best, bool color) {
  std::string text = cell_text(cell, metric);
  if (!cell.value) return {text, cell.of != nullptr && cell.of->status == CaseStatus::skipped ? Tint::dim : Tint::bad};
  if (!best || cell.standing == Standing::none) return {text};
  const bool is_best = cell.standing == Standing::best;
  if (color) return {text, is_best ? Tint::good : Tint::bad};
  return {(is_best ? "* " : "! ") + text};
}

bool any_row_complexity(const Pivot& pivot) {
  return std::ranges::any_of(pivot.sections, [](const PivotSection& section) {
    return std::ranges::any_of(section.rows, [](const PivotRow& row) { return row.complexity.has_value(); });
  });
}

bool any_complexity(const PivotSection& section) {
  return std::ranges::any_of(section.complexity, [](const auto& one) { return one.has_value(); });
}

/// "complexity" and "residual" below the columns, each line headed in its first cell.
void add_complexity_lines(Table& table, const PivotSection& section, std::size_t headings) {
  if (!any_complexity(section)) return;
  std::vector<Cell> orders(headings);
  std::vector<Cell> residuals(headings);
  orders.front() = {"complexity", Tint::dim};
  residuals.front() = {"residual", Tint::dim};
  for (const auto& complexity : section.complexity) {
    orders.push_back({order_text(complexity)});
    residuals.push_back({residual_text(complexity), Tint::dim});
  }
  table.rows.push_back(std::move(orders));
  table.rows.push_back(std::move(residuals));
}

Table table_of(const Pivot& pivot, const PivotSection& section, bool best, bool color) {
  Table table;
  for (const std::string& axis : pivot.row_axes)
    table.columns.push_back({.title = axis, .right = axis == pivot.growth_axis, .least = axis == "label" ? 12 : 0});
  for (const auto& values : pivot.columns)
    table.columns.push_back({.title = printable(heading_text(pivot.column_axes, values)), .right = true});
  const bool fitted = any_row_complexity(pivot);
  if (fitted) {
    table.columns.push_back({.title = "complexity"});
    table.columns.push_back({.title = "residual", .right = true});
  }
  for (const PivotRow& row : section.rows) {
    auto& line = table.rows.emplace_back();
    for (const std::string& value : row.heading) line.push_back({value});
    for (const PivotCell& cell : row.cells) line.push_back(marked_cell(cell, pivot.metric, best, color));
    if (!fitted) continue;
    line.push_back({order_text(row.complexity)});
    line.push_back({residual_text(row.complexity), Tint::dim});
  }
  add_complexity_lines(table, section, pivot.row_axes.size());
  return table;
}

std::string some_ids(const std::vector<const CaseRecord*>& cases) {
  std::vector<std::string> ids;
  for (const CaseRecord* one : cases) {
    if (ids.size() == kIdsNamed) break;
    ids.push_back(printable(readable_id(one->id)));
  }
  return join(ids, "; ") + (ids.size() < cases.size() ? fmt::format(" and {} more", cases.size() - ids.size()) : "");
}

std::string number_of_cases(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "case" : "cases"); }

/// What a reader of the figures has to know.
std::vector<std::string> notes_of(const Pivot& pivot) {
  std::vector<std::string> notes;
  if (!pivot.left_out.empty()) {
    notes.push_back(fmt::format("left out, without {}: {}: {}", join(pivot.column_axes, ", "),
                                number_of_cases(pivot.left_out.size()), some_ids(pivot.left_out)));
  }
  std::vector<const CaseRecord*> varying;
  for (const PivotSection& section : pivot.sections) {
    for (const PivotRow& row : section.rows) {
      for (const PivotCell& cell : row.cells) {
        if (cell.value && std::ranges::find(cell.of->flags, "counts_vary") != cell.of->flags.end())
          varying.push_back(cell.of);
      }
    }
  }
  if (!varying.empty() && is_count(pivot.metric)) {
    notes.push_back(
        fmt::format("counts of {} vary among replicates: {}", number_of_cases(varying.size()), some_ids(varying)));
  }
  return notes;
}

std::string title_of(const Pivot& pivot) {
  switch (pivot.metric) {
    case Metric::time:
      return "median time for one execution";
    case Metric::device_time:
      return "the kernels' own time for one execution";
    case Metric::launch_time:
      return "the host's part of the time for one execution";
    case Metric::memory:
      return "peak memory";
    case Metric::value:
      return "what each case reports";
    default:
      return fmt::format("{} per iteration", to_string(pivot.metric));
  }
}

std::string markdown_cell(const PivotCell& cell, Metric metric, bool best) {
  std::string text = markdown_escape(cell_text(cell, metric));
  if (!best || cell.standing == Standing::none) return text;
  return cell.standing == Standing::best ? "**" + text + "**" : "_" + text + "_";
}

std::string markdown_line(const std::vector<std::string>& cells) { return "| " + join(cells, " | ") + " |\n"; }

std::string markdown_section(const Pivot& pivot, const PivotSection& section, bool best) {
  std::vector<std::string> head;
  std::string rule = "|";
  for (const std::string& axis : pivot.row_axes) {
    head.push_back(markdown_escape(axis));
    rule += axis == pivot.growth_axis ? "---:|" : "---|";
  }
  for (const auto& values : pivot.columns) {
    head.push_back(markdown_escape(heading_text(pivot.column_axes, values)));
    rule += "---:|";
  }
  const bool fitted = any_row_complexity(pivot);
  if (fitted) {
    head.insert(head.end(), {"complexity", "residual"});
    rule += "---|---:|";
  }
  std::string out = markdown_line(head) + rule + "\n";
  for (const PivotRow& row : section.rows) {
    std::vector<std::string> line;
    line.reserve(row.heading.size() + row.cells.size() + 2);
    for (const std::string& value : row.heading) line.push_back(markdown_escape(value));
    for (const PivotCell& cell : row.cells) line.push_back(markdown_cell(cell, pivot.metric, best));
    if (fitted) line.insert(line.end(), {order_text(row.complexity), residual_text(row.complexity)});
    out += markdown_line(line);
  }
  if (!any_complexity(section)) return out;
  std::vector<std::string> orders(pivot.row_axes.size());
  std::vector<std::string> residuals(pivot.row_axes.size());
  orders.front() = "complexity";
  residuals.front() = "residual";
  for (const auto& complexity : section.complexity) {
    orders.push_back(order_text(complexity));
    residuals.push_back(residual_text(complexity));
  }
  return out + markdown_line(orders) + markdown_line(residuals);
}

}  // namespace

std::string order_text(const std::optional<Complexity>& complexity) {
  return complexity ? std::string(to_string(complexity->best)) : "";
}

std::string residual_text(const std::optional<Complexity>& complexity) {
  return complexity ? format_share(complexity->fit().residual) : "";
}

std::string format_metric(const MetricValue& value, Metric metric, std::string_view unit) {
  if (metric == Metric::memory) return bytes_text(static_cast<std::uint64_t>(value.value));
  if (metric == Metric::value) return format_value(value.value, unit);
  return is_time(metric) ? format_seconds(value.value, value.range.half_width()) : format_count(value.value);
}

std::string render_pivot(const Pivot& pivot, const RenderOptions& options, bool best) {
  std::string out = tinted(title_of(pivot), Tint::dim, options.color) + "\n";
  for (const PivotSection& section : pivot.sections) {
    out += "\n";
    if (const std::string title = section_text(section); !title.empty())
      out += tinted(printable(title), Tint::bold, options.color) + "\n";
    out += render_table(table_of(pivot, section, best, options.color), options);
  }
  const std::vector<std::string> notes = notes_of(pivot);
  if (best && !options.color) out += "\n* best of its row, ! worst\n";
  if (!notes.empty()) out += "\n" + join(notes, "\n") + "\n";
  return out;
}

std::string to_markdown(const Pivot& pivot, bool best) {
  std::string out = "### Tallymark: " + title_of(pivot) + "\n";
  for (const PivotSection& section : pivot.sections) {
    out += "\n";
    if (const std::string title = section_text(section); !title.empty()) out += markdown_escape(title) + "\n\n";
    out += markdown_section(pivot, section, best);
  }
  for (const std::string& note : notes_of(pivot)) out += "\n" + markdown_escape(note) + "\n";
  return out;
}

}  // namespace tally
