#include "report/text/line_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/text.h"
#include "json/text.h"
#include "profile/names.h"
#include "profile/rules.h"
#include "report/text/format.h"
#include "report/text/function_table.h"

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

constexpr const char* kNewer = "(the file is newer than what was compiled from it)";

Cell text_cell(bool has_line, bool newer, std::string text) {
  if (!has_line) return {"(code without lines)", Tint::dim};
  if (text.empty() && newer) return {kNewer, Tint::notice};
  return {std::move(text)};
}

std::string object_name(const std::string& object) {
  return std::string(base_name(standardize(FunctionKey{.object = object, .file = {}, .name = {}}).object));
}

/// By path, a file's last name, or all of it where another has the same.
std::map<std::string, std::string> short_names(const std::set<std::string>& paths) {
  std::map<std::string, std::set<std::string>> files;
  for (const std::string& path : paths) files[std::string(base_name(path))].insert(path);
  std::map<std::string, std::string> names;
  for (const auto& [last, whole] : files) {
    for (const std::string& file : whole) names[file] = whole.size() == 1 ? last : file;
  }
  return names;
}

}  // namespace

std::string render_lines(const KeptLines& kept, const LineRender& render) {
  Table table;
  table.columns = {{.title = "Ir", .right = true},
                   {.title = "share", .right = true, .drop = 2},
                   {.title = "line", .least = 16},
                   {.title = "text", .least = 16, .drop = 1}};
  const auto total = static_cast<double>(kept.costs.total());
  const auto texts = lines_of(kept.texts);
  std::set<std::string> paths;
  for (const auto& [at, cost] : kept.costs.lines) paths.insert(at.file);
  const auto names = short_names(paths);
  const std::vector<CostOfLine> sorted = sorted_lines(kept.costs);
  for (const auto& [at, cost] : sorted) {
    if (render.top > 0 && table.rows.size() == render.top) break;
    const bool has_line = at.line > 0;
    const std::string place = has_line ? fmt::format("{}:{}", names.at(at.file), at.line) : object_name(at.file);
    table.rows.push_back({{format_count(static_cast<double>(cost))},
                          {format_share(static_cast<double>(cost) / total), Tint::dim},
                          {place, has_line ? Tint::none : Tint::dim},
                          text_cell(has_line, kept.costs.newer.contains(at.file), text_at(texts, at))});
  }
  std::string text = render_table(table, render.options);
  if (sorted.size() > table.rows.size()) text += fmt::format("and {} more\n", sorted.size() - table.rows.size());
  return text;
}

std::string lines_json(const KeptLines& kept, std::size_t top) {
  const auto texts = lines_of(kept.texts);
  json::Array lines;
  json::Array elsewhere;
  for (const auto& [at, cost] : sorted_lines(kept.costs)) {
    if (top > 0 && lines.size() + elsewhere.size() == top) break;
    if (at.line == 0) {
      elsewhere.push_back(json::Object{{"object", at.file}, {"count", cost}});
      continue;
    }
    json::Object line{{"file", at.file}, {"line", at.line}, {"count", cost}};
    if (texts.contains(at.file)) line["text"] = text_at(texts, at);
    if (kept.costs.newer.contains(at.file)) line["newer"] = true;
    lines.push_back(std::move(line));
  }
  return json::to_text(json::Object{{"event", "Ir"},
                                    {"total", kept.costs.total()},
                                    {"lines", std::move(lines)},
                                    {"elsewhere", std::move(elsewhere)}},
                       1) +
         "\n";
}

std::string place_of(const LineDelta& delta, std::span<const LineDelta> among) {
  if (delta.at.line == 0) return object_name(delta.at.file);
  const std::string_view last = base_name(delta.at.file);
  const bool is_anothers = std::ranges::any_of(among, [&](const LineDelta& other) {
    return other.at.line > 0 && other.at.file != delta.at.file && base_name(other.at.file) == last;
  });
  return fmt::format("{}:{}", is_anothers ? delta.at.file : last, delta.at.line);
}

std::string text_of(const LineDelta& delta) {
  return text_cell(delta.at.line > 0, delta.newer, delta.gone ? "gone: " + delta.text : delta.text).text;
}

std::string render_line_deltas(const std::vector<LineDelta>& moved, const LineRender& render) {
  Table table;
  table.columns = {{.title = "change", .right = true},
                   {.title = "before", .right = true, .drop = 3},
                   {.title = "after", .right = true, .drop = 2},
                   {.title = "line", .least = 16},
                   {.title = "text", .least = 16, .drop = 1}};
  const std::size_t shown = render.top > 0 ? std::min(render.top, moved.size()) : moved.size();
  const std::span<const LineDelta> of_table = std::span(moved).first(shown);
  for (const LineDelta& delta : of_table) {
    const bool is_object = delta.at.line == 0;
    table.rows.push_back({{signed_count(delta.delta()), delta.delta() > 0 ? Tint::bad : Tint::good},
                          {format_count(delta.before)},
                          {format_count(delta.after)},
                          {place_of(delta, of_table), is_object ? Tint::dim : Tint::none},
                          {text_of(delta), is_object ? Tint::dim : Tint::none}});
    if (!delta.text_before.empty()) table.rows.push_back({{}, {}, {}, {}, {"was: " + delta.text_before, Tint::dim}});
  }
  std::string text = render_table(table, render.options);
  if (moved.size() > shown) text += fmt::format("and {} more\n", moved.size() - shown);
  return text;
}

json::Object line_delta_json(const LineDelta& delta) {
  json::Object json;
  if (delta.at.line == 0) {
    json["object"] = delta.at.file;
  } else {
    json["file"] = delta.at.file;
    json["line"] = delta.at.line;
  }
  json["before"] = delta.before;
  json["after"] = delta.after;
  if (!delta.text.empty()) json["text"] = delta.text;
  if (!delta.text_before.empty()) json["text_before"] = delta.text_before;
  if (delta.gone) json["gone"] = true;
  if (delta.newer) json["newer"] = true;
  return json;
}

}  // namespace tally
