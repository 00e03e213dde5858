#include "report/text/function_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "profile/names.h"
#include "report/text/format.h"

namespace tally {

std::string signed_count(double value) { return (value > 0 ? "+" : "") + format_count(value); }

std::string render_deltas(const std::vector<FunctionDelta>& deltas, std::size_t most, const RenderOptions& options) {
  Table table;
  table.columns = {{.title = "change", .right = true},           {.title = "before", .right = true, .drop = 3},
                   {.title = "after", .right = true, .drop = 4}, {.title = "calls", .right = true, .drop = 2},
                   {.title = "object", .least = 8, .drop = 1},   {.title = "function", .least = 16}};
  for (const FunctionDelta& delta : telling(deltas, most)) {
    table.rows.push_back(
        {{signed_count(delta.delta()), delta.delta() > 0 ? Tint::bad : Tint::good},
         {format_count(delta.before)},
         {format_count(delta.after)},
         {format_calls(delta.calls_before, delta.calls_after), delta.calls_changed() ? Tint::notice : Tint::dim},
         {delta.object, Tint::dim},
         {shorten(delta.name)}});
  }
  RenderOptions narrower = options;
  if (options.width > 0) narrower.width = std::max(20, options.width - 2);
  std::string text = "  " + replace_all(std::string(trim(render_table(table, narrower))), "\n", "\n  ") + "\n";
  const std::size_t more = deltas.size() - table.rows.size();
  if (more > 0) text += fmt::format("  and {} more\n", more);
  return text;
}

std::string render_functions(const FunctionCounts& counts, const ProfileRender& render) {
  Table table;
  table.columns = {{.title = render.event, .right = true},
                   {.title = "share", .right = true, .drop = 2},
                   {.title = "calls", .right = true, .drop = 3},
                   {.title = "object", .least = 8, .drop = 1},
                   {.title = "function", .least = 16}};
  const auto sorted = counts.sorted();
  for (const auto& [key, count] : sorted) {
    if (render.top > 0 && table.rows.size() == render.top) break;
    std::string name = render.full_names ? demangle(key.name) : readable_name(key.name);
    if (!key.file.empty()) name = name.empty() ? key.file : fmt::format("{}  {}", name, base_name(key.file));
    table.rows.push_back({{format_count(count)},
                          {render.total > 0 ? format_share(count / render.total) : "", Tint::dim},
                          {render.calls.of(key) == 0 ? "" : format_count(render.calls.of(key))},
                          {std::string(base_name(key.object)), Tint::dim},
                          {name}});
  }
  const bool objects = std::ranges::any_of(sorted, [](const auto& entry) { return !entry.first.object.empty(); });
  const bool names = std::ranges::any_of(
      sorted, [](const auto& entry) { return !entry.first.name.empty() || !entry.first.file.empty(); });
  const auto remove = [&table](std::size_t column) {
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  };
  if (!names) remove(4);
  if (!objects) remove(3);
  if (render.calls.empty()) remove(2);
  if (names && std::ranges::none_of(sorted, [](const auto& entry) { return !entry.first.name.empty(); }))
    table.columns.back().title = "file";
  std::string text = render_table(table, render.options);
  if (sorted.size() > table.rows.size()) text += fmt::format("and {} more\n", sorted.size() - table.rows.size());
  return text;
}

}  // namespace tally
