#include "build/result_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "base/contains.h"
#include "base/text.h"
#include "definition/lexical.h"

namespace tally {

namespace {

std::string name_report(std::string_view name) { return fmt::format("  __tally_text.named(\"{0}\", {0});\n", name); }

/// Where the last statement of a text begins and ends: behind the last ';' or block that is outside all brackets.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Span last_statement(std::string_view blanked) {
  Span last;
  std::size_t begin = 0;
  int depth = 0;
  const auto finish = [&](std::size_t end) {
    if (!trim(blanked.substr(begin, end - begin)).empty()) last = {begin, end};
    begin = end + 1;
  };
  for (std::size_t i = 0; i < blanked.size(); ++i) {
    const char c = blanked[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && c == ';') finish(i);
  }
  finish(blanked.size());
  return last;
}

bool begins_with_keyword(std::string_view text) {
  constexpr std::array<std::string_view, 16> kKeywords = {
      "for",    "while", "if",     "switch",        "do",   "return", "try",      "using", "typedef",
      "struct", "class", "delete", "static_assert", "goto", "throw",  "namespace"};
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
  return text.starts_with('{') || contains(kKeywords, text.substr(0, end));
}

/// The offset of an assignment's operator outside brackets.
std::optional<std::size_t> assignment(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '=' || depth != 0) continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    const std::string_view before = text.substr(0, i);
    if (before.ends_with('!')) continue;
    if (before.ends_with("<<") || before.ends_with(">>")) return i - 2;
    if (before.ends_with('<') || before.ends_with('>')) continue;
    if (!before.empty() && std::string_view("+-*/%&|^").contains(before.back())) return i - 1;
    return i;
  }
  return std::nullopt;
}

/// The names on the left of an assignment: `x`, `x[0]`, `x.part` and `auto x` are x; `auto [a, b]` are a and b.
std::vector<std::string> assigned_names(const std::string& left) {
  std::smatch match;
  if (std::regex_search(left, match, std::regex(R"(\bauto\s*[&]*\s*\[([^\]]*)\]\s*$)"))) {
    std::vector<std::string> names;
    const std::string list = match[1];
    for (const std::string_view name : split(list, ',')) names.emplace_back(trim(name));
    return names;
  }
  // A declaration: the last word; otherwise the first one.
  if (std::regex_search(left, match, std::regex(R"([\w>*&\]]\s*[\s*&]\s*(\w+)\s*(\[[^\]]*\])*\s*$)")))
    return {match[1]};
  if (std::regex_search(left, match, std::regex(R"(^\s*\(?\**\s*([A-Za-z_]\w*(::[A-Za-z_]\w*)*))"))) return {match[1]};
  return {};
}

/// What the last statement leaves, when nothing names it.
void report_last(Code& stmt, std::string& report) {
  Snippet& part = stmt.parts.back();
  const std::string blanked = blank_strings_and_comments(part.text, Language::cpp);
  const Span span = last_statement(blanked);
  const std::string text(trim(std::string_view(blanked).substr(span.begin, span.end - span.begin)));
  if (text.empty() || begins_with_keyword(text)) return;
  std::smatch match;
  if (const auto at = assignment(text)) {
    for (const std::string& name : assigned_names(text.substr(0, *at))) report += name_report(name);
    return;
  }
  if (std::regex_match(text, match, std::regex(R"((\+\+|--)?\s*([A-Za-z_]\w*)\s*(\+\+|--)?)"))) {
    report += name_report(match[2].str());
    return;
  }
  // "std::vector<int> v(100)", "int x{3}", "Thing t".
  if (std::regex_match(text, match,
                       std::regex(R"([A-Za-z_][\w:]*(<.*>)?[\s*&]*[\s&*]([A-Za-z_]\w*)\s*([({].*[)}])?)"))) {
    report += name_report(match[2].str());
    return;
  }
  const std::string expression = part.text.substr(span.begin, span.end - span.begin);
  part.text.replace(span.begin, span.end - span.begin,
                    fmt::format("__tally_text.value(({}\n, ::tally::detail::nothing{{}}))", expression));
  // The object that a member function may have changed.
  if (std::regex_search(text, match, std::regex(R"(^([A-Za-z_]\w*)\s*\.\s*[A-Za-z_])")))
    report += name_report(match[1].str());
}

}  // namespace

ReportedStatement reported(const Case& c) {
  ReportedStatement made{c.stmt, {}};
  if (!c.results.empty()) {
    for (const std::string& name : c.results) made.report += name_report(name);
    return made;
  }
  bool kept = false;
  for (Snippet& part : made.stmt.parts) {
    if (!part.text.contains("tally::keep(")) continue;
    kept = true;
    part.text = replace_all(replace_all(part.text, "::tally::keep(", "__tally_text.kept("), "tally::keep(",
                            "__tally_text.kept(");
  }
  if (!kept && !made.stmt.parts.empty()) report_last(made.stmt, made.report);
  return made;
}

}  // namespace tally
