#include "definition/snippet.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"

namespace tally {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

bool is_blank(std::string_view line) { return line.find_first_not_of(kBlanks) == std::string_view::npos; }

std::string_view common_prefix(std::string_view a, std::string_view b) {
  const auto end = std::ranges::mismatch(a, b).in1;
  return {a.begin(), end};
}

/// The whitespace that begins every line but blank ones.
std::string_view margin_of(const std::vector<std::string_view>& lines) {
  std::optional<std::string_view> margin;
  for (std::string_view line : lines) {
    if (is_blank(line)) continue;
    const std::string_view lead = line.substr(0, line.find_first_not_of(kBlanks));
    margin = margin ? common_prefix(*margin, lead) : lead;
  }
  return margin.value_or("");
}

/// Columns count characters, not bytes.
int characters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return !continues_letter(c); }));
}

}  // namespace

std::string describe(const SourcePosition& position) {
  if (position.line == 0) return position.file;
  if (position.column == 0) return fmt::format("{}:{}", position.file, position.line);
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

Snippet dedent(Snippet snippet) {
  const std::string text = replace_all(snippet.text, "\r\n", "\n");
  std::vector<std::string_view> lines = split(text, '\n');
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  const auto first = std::ranges::find_if_not(lines, is_blank);
  const bool dropped = first != lines.begin();
  if (dropped && snippet.at.line > 0) {
    snippet.at.line += static_cast<int>(first - lines.begin());
    snippet.at.column = snippet.indent + 1;
  }
  lines.erase(lines.begin(), first);

  const std::string_view left = margin_of(lines);
  const std::size_t margin = left.size();
  std::string result;
  for (std::string_view line : lines) {
    if (!result.empty()) result += '\n';
    // Of a blank line what the margin leaves: it may stand within a string.
    if (!is_blank(line) || line.starts_with(left)) result += line.substr(margin);
  }
  snippet.text = result.substr(0, result.find_last_not_of(kBlanks) + 1);
  if (snippet.at.line > 0) {
    snippet.at.column += static_cast<int>(margin);
    snippet.indent += static_cast<int>(margin);
  }
  return snippet;
}

SourcePosition position_of(const Snippet& snippet, std::size_t offset) {
  SourcePosition at = snippet.at;
  if (at.line == 0) return at;
  const std::string_view before = std::string_view(snippet.text).substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  if (newline == std::string_view::npos) {
    at.column += characters(before);
  } else {
    at.line += static_cast<int>(std::ranges::count(before, '\n'));
    at.column = snippet.indent + 1 + characters(before.substr(newline + 1));
  }
  return at;
}

bool Code::empty() const {
  return std::ranges::all_of(parts, [](const Snippet& part) { return part.text.empty(); });
}

std::string Code::text() const {
  std::string result;
  for (const Snippet& part : parts) {
    if (part.text.empty()) continue;
    if (!result.empty()) result += '\n';
    result += part.text;
  }
  return result;
}

}  // namespace tally
