#include "report/text/escape.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text.h"
#include "report/text/format.h"

namespace tally {

namespace {

struct Entity {
  char of;
  std::string_view text;
};
constexpr Entity kHtml[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
// A name in a label must not notify a person.
constexpr Entity kMarkdown[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'@', "&#64;"}};
constexpr std::string_view kMarkdownsOwn = "\\`*_{}[]#|~";

std::string escaped(std::string_view text, std::span<const Entity> entities, std::string_view after_backslash = {}) {
  std::string out;
  for (const char c : text) {
    if (const auto entity = std::ranges::find(entities, c, &Entity::of); entity != entities.end()) {
      out += entity->text;
      continue;
    }
    if (after_backslash.contains(c)) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string html_escape(std::string_view text) { return escaped(printable(text, true), kHtml); }

std::string markdown_escape(std::string_view text) { return escaped(printable(text), kMarkdown, kMarkdownsOwn); }

// Not in backquotes: a table cell's pipes and a text's own backquotes would end them.
std::string markdown_code(std::string_view text) { return "<code>" + markdown_escape(text) + "</code>"; }

namespace {

/// "-1", "+1.5e3": with its sign, and nothing behind it.
bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::string_view("0123456789.").contains(text.front()))
    return false;  // "inf" and "nan" are words
  double value = 0;
  return std::from_chars(text.begin(), text.end(), value).ptr == text.end();
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string plain = printable(text);
  // Spreadsheets run cells that begin like a formula.
  if (!plain.empty() && std::string_view("=+-@").contains(plain.front()) && !is_number(plain)) plain.insert(0, 1, '\'');
  if (plain.find_first_of(",\"\n") == std::string::npos) return plain;
  return '"' + replace_all(plain, "\"", "\"\"") + '"';
}

std::string github_escape(std::string_view text) {
  return replace_all(replace_all(replace_all(text, "%", "%25"), "\r", "%0D"), "\n", "%0A");
}

std::string github_property(std::string_view text) {
  return replace_all(replace_all(github_escape(text), ":", "%3A"), ",", "%2C");
}

std::string script_json(std::string_view json) {
  std::string out = replace_all(json, "<", "\\u003c");
  out = replace_all(out, "\xe2\x80\xa8", "\\u2028");
  return replace_all(out, "\xe2\x80\xa9", "\\u2029");
}

}  // namespace tally
