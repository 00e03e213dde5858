#include "report/line_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "json/text.h"
#include "profile/names.h"
#include "profile/rules.h"
#include "report/format.h"

namespace tally {
namespace {

struct CostOfLine {
  SourceLine at;  ///< Without a line: an object.
  std::uint64_t cost = 0;
};

std::vector<CostOfLine> sorted_lines(const LineCosts& costs) {
  std::vector<CostOfLine> sorted;
  sorted.reserve(costs.lines.size() + costs.elsewhere.size());
  for (const auto& [at, cost] : costs.lines) sorted.push_back({.at = at, .cost = cost});
  for (const auto& [object, cost] : costs.elsewhere) sorted.push_back({.at = {.file = object}, .cost = cost});
  std::ranges::sort(sorted, [](const CostOfLine& a, const CostOfLine& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.at < b.at;
  });
  return sorted;
}

std::map<std::string, std::vector<std::string_view>> lines_of(const std::map<std::string, std::string>& texts) {
  std::map<std::string, std::vector<std::string_view>> lines;
  for (const auto& [file, text] : texts) lines[file] = split(text, '\n');
  return lines;
}

/// Without what stands before and after it; empty where it is not kept.
std::string text_at(const std::map<std::string, std::vector<std::string_view>>& texts, const SourceLine& at) {
  const auto file = texts.find(at.file);
  if (file == texts.end() || at.line == 0 || at.line > file->second.size()) return {};
  return std::string(trim(file->second[at.line - 1]));
}

/// A file's last name, or all of it where another has the same.
std::map<std::string, std::string> short_names(const LineCosts& costs) {
  std::map<std::string, std::set<std::string>> files;
  for (const auto& [at, cost] : costs.lines) files[std::string(base_name(at.file))].insert(at.file);
  std::map<std::string, std::string> names;
  for (const auto& [last, whole] : files) {
    for (const std::string& file : whole) names[file] = whole.size() == 1 ? last : file;
  }
  return names;
}

}  // namespace

std::string render_lines(const LinesReport& report, const LineRender& render) {
  Table table;
  table.columns = {{.title = "Ir", .right = true},
                   {.title = "share", .right = true, .drop = 2},
                   {.title = "line", .least = 16},
                   {.title = "text", .least = 16, .drop = 1}};
  const auto total = static_cast<double>(report.costs.total());
  const auto texts = lines_of(report.texts);
  const auto names = short_names(report.costs);
  const std::vector<CostOfLine> sorted = sorted_lines(report.costs);
  for (const auto& [at, cost] : sorted) {
    if (render.top > 0 && table.rows.size() == render.top) break;
    const bool has_line = at.line > 0;
    const std::string place =
        has_line ? fmt::format("{}:{}", names.at(at.file), at.line)
                 : std::string(base_name(standardize(FunctionKey{.object = at.file, .file = {}, .name = {}}).object));
    table.rows.push_back({{format_count(static_cast<double>(cost))},
                          {format_share(static_cast<double>(cost) / total), Tint::dim},
                          {place, has_line ? Tint::none : Tint::dim},
                          {has_line ? text_at(texts, at) : "(code without lines)", has_line ? Tint::none : Tint::dim}});
  }
  std::string text = render_table(table, render.options);
  if (sorted.size() > table.rows.size()) text += fmt::format("and {} more\n", sorted.size() - table.rows.size());
  return text;
}

std::string lines_json(const LinesReport& report, std::size_t top) {
  const auto texts = lines_of(report.texts);
  json::Array lines;
  json::Array elsewhere;
  for (const auto& [at, cost] : sorted_lines(report.costs)) {
    if (top > 0 && lines.size() + elsewhere.size() == top) break;
    if (at.line == 0) {
      elsewhere.push_back(json::Object{{"object", at.file}, {"count", cost}});
      continue;
    }
    json::Object line{{"file", at.file}, {"line", at.line}, {"count", cost}};
    if (texts.contains(at.file)) line["text"] = text_at(texts, at);
    lines.push_back(std::move(line));
  }
  return json::to_text(json::Object{{"event", "Ir"},
                                    {"total", report.costs.total()},
                                    {"lines", std::move(lines)},
                                    {"elsewhere", std::move(elsewhere)}},
                       1) +
         "\n";
}

}  // namespace tally
