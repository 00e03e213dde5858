#include "trace/json_check.h"

#include <algorithm>
#include <array>
#include <bitset>

namespace tally::trace {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// The position after the closing quote, or npos when the text ends first. `at` is after the opening quote.
std::size_t after_string(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == '"') return at + 1;
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::string_view::npos;
}

bool ends_word(char c) {
  return is_blank(c) || c == ',' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"' || c == ':';
}

}  // namespace

Check check_object(std::string_view text) {
  enum class Want { key_or_end, colon, value, value_or_end, comma_or_end };
  std::bitset<kDeepest + 1> in_array;
  int depth = 0;
  Want want = Want::value;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (is_blank(c)) {
      ++at;
      continue;
    }
    if (depth == 0 && (at != 0 || c != '{')) return Check::fault;
    const auto value_done = [&] { want = Want::comma_or_end; };
    if (c == ',' && want != Want::colon && want != Want::value) {
      want = in_array[depth] ? Want::value_or_end : Want::key_or_end;
      ++at;
      continue;
    }
    switch (want) {
      case Want::colon:
        if (c != ':') return Check::fault;
        want = Want::value;
        ++at;
        continue;
      case Want::key_or_end:
      case Want::comma_or_end:
      case Want::value_or_end:
        if (c == (in_array[depth] ? ']' : '}')) {
          ++at;
          if (--depth == 0) return at == text.size() ? Check::whole : Check::fault;
          value_done();
          continue;
        }
        if (want == Want::comma_or_end) return Check::fault;
        if (want == Want::key_or_end) {
          if (c != '"') return Check::fault;
          at = after_string(text, at + 1);
          if (at == std::string_view::npos) return Check::prefix;
          want = Want::colon;
          continue;
        }
        break;
      case Want::value:
        break;
    }
    if (c == '{' || c == '[') {
      if (++depth > kDeepest) return Check::fault;
      in_array[depth] = c == '[';
      want = c == '[' ? Want::value_or_end : Want::key_or_end;
      ++at;
    } else if (c == '"') {
      at = after_string(text, at + 1);
      if (at == std::string_view::npos) return Check::prefix;
      value_done();
    } else if (c == '}' || c == ']' || c == ',' || c == ':') {
      return Check::fault;
    } else {
      while (at < text.size() && !ends_word(text[at])) ++at;
      value_done();
    }
  }
  return Check::prefix;
}

bool looks_like_event(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 11> keys = {"ph",  "cat",  "name", "pid", "tid", "ts",
                                                     "dur", "args", "id",   "bp",  "s"};
  text = text.substr(at, kEventStartWindow);
  at = 1;
  const auto skip_blanks = [&] {
    while (at < text.size() && is_blank(text[at])) ++at;
    return at < text.size();
  };
  if (!skip_blanks() || text[at] != '"') return false;
  const std::size_t key = ++at;
  at = text.find('"', at);
  if (at == std::string_view::npos || std::ranges::find(keys, text.substr(key, at - key)) == keys.end()) return false;
  ++at;
  return skip_blanks() && text[at] == ':';
}

}  // namespace tally::trace
