#include "report/text/escape.h"

#include "base/text.h"
#include "report/text/format.h"

namespace tally {

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text, true)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':
        out += "&#64;";
        break;  // A name in a label must not notify a person.
      case '\\':
      case '`':
      case '*':
      case '_':
      case '{':
      case '}':
      case '[':
      case ']':
      case '#':
      case '|':
      case '~':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

// Not in backquotes: a table cell's pipes and a text's own backquotes would end them.
std::string markdown_code(std::string_view text) { return "<code>" + markdown_escape(text) + "</code>"; }

std::string csv_field(std::string_view text) {
  std::string plain = printable(text);
  // Spreadsheets run cells that begin like a formula.
  if (!plain.empty() && std::string_view("=+-@").contains(plain.front())) plain.insert(0, 1, '\'');
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
