#include "definition/lexical.h"

#include <algorithm>

#include "base/text.h"

namespace tally {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Walks the text once; each skip_… returns the offset behind what it skipped.
class Blanker {
 public:
  Blanker(std::string_view text, Language language) : text_(text), language_(language), result_(text) {}

  std::string run() {
    std::size_t i = 0;
    while (i < text_.size()) i = step(i);
    return std::move(result_);
  }

  /// Whether the text that was run ended before a string or comment of several lines did.
  [[nodiscard]] bool open() const { return open_; }

 private:
  std::size_t step(std::size_t i) {
    const std::string_view rest = text_.substr(i);
    if (language_ == Language::python) {
      if (rest[0] == '#') return blank(i, text_.find('\n', i));
      if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) return blank(i, behind(rest.substr(0, 3), i + 3));
    } else {
      if (rest.starts_with("//")) return blank(i, text_.find('\n', i));
      if (rest.starts_with("/*")) return blank(i, behind("*/", i + 2));
      if (rest.starts_with("R\"")) return raw_string(i);
      if (is_digit(rest[0])) return number(i);
    }
    if (is_word(rest[0])) return word(i);
    if (rest[0] == '"' || rest[0] == '\'') return quoted(i);
    return i + 1;
  }

  /// A raw string's R ends a word: stop before it so that it is seen.
  [[nodiscard]] std::size_t word(std::size_t i) const {
    do {
      ++i;
    } while (i < text_.size() && is_word(text_[i]) && !text_.substr(i).starts_with("R\""));
    return i;
  }

  /// 1'000 holds a quote that opens nothing.
  std::size_t number(std::size_t i) const {
    while (i < text_.size() && (is_word(text_[i]) || text_[i] == '.' || text_[i] == '\'')) ++i;
    return i;
  }

  /// A string that is not closed ends with its line.
  std::size_t quoted(std::size_t i) {
    std::size_t end = i + 1;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != text_[i]) end += text_[end] == '\\' ? 2 : 1;
    return blank(i, end < text_.size() && text_[end] == '\n' ? end : end + 1);
  }

  std::size_t raw_string(std::size_t i) {
    const std::size_t open = text_.find('(', i);
    if (open == std::string_view::npos || open - i > 18) return i + 1;
    return blank(i, behind(")" + std::string(text_.substr(i + 2, open - i - 2)) + "\"", open));
  }

  std::size_t behind(std::string_view end, std::size_t from) {
    const std::size_t found = text_.find(end, from);
    open_ = found == std::string_view::npos;
    return open_ ? found : found + end.size();
  }

  std::size_t blank(std::size_t from, std::size_t to) {
    to = std::min(to, text_.size());
    for (std::size_t i = from; i < to; ++i) {
      if (text_[i] != '\n') result_[i] = ' ';
    }
    return to;
  }

  std::string_view text_;
  Language language_;
  std::string result_;
  bool open_ = false;
};

}  // namespace

std::string blank_strings_and_comments(std::string_view text, Language language) {
  return Blanker(text, language).run();
}

bool leaves_open(std::string_view text, Language language) {
  Blanker blanker(text, language);
  int brackets = 0;
  for (char c : blanker.run()) {
    if (c == '(' || c == '[' || c == '{') ++brackets;
    if (c == ')' || c == ']' || c == '}') --brackets;
  }
  return brackets > 0 || blanker.open();
}

std::size_t closes_too_much(std::string_view text, Language language) {
  const std::string code = blank_strings_and_comments(text, language);
  if (language == Language::cpp && code.contains('#')) return std::string::npos;
  int brackets = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (std::string_view("([{").contains(code[i])) ++brackets;
    if (std::string_view(")]}").contains(code[i]) && --brackets < 0) return i;
  }
  return std::string::npos;
}

bool defines(std::string_view text, std::string_view name, Language language) {
  const std::string code = blank_strings_and_comments(text, language);
  const std::string_view view = code;
  for (std::size_t at = view.find(name); at != std::string_view::npos; at = view.find(name, at + 1)) {
    const std::string_view before = view.substr(0, at);
    const std::string_view after = view.substr(at + name.size());
    if ((!before.empty() && (is_word(before.back()) || before.back() == '.')) ||
        (!after.empty() && is_word(after[0]))) {
      continue;
    }
    const std::string_view next = trim(after);
    if (next.starts_with('=') && !next.starts_with("==")) return true;
    if (language == Language::python) {
      const std::string_view lead = trim(before);
      if (lead.ends_with("def") || lead.ends_with("class") || lead.ends_with(" as") || next.starts_with(':'))
        return true;
    } else {
      // "Net model;", "Net model(3);", "Net model{3};": a declaration has a type before the name.
      const std::string_view lead = trim(before);
      const bool typed = !lead.empty() && (is_word(lead.back()) || std::string_view(">&*").contains(lead.back()));
      if (typed && (next.starts_with(';') || next.starts_with('(') || next.starts_with('{'))) return true;
    }
  }
  return false;
}

bool only_comments(std::string_view text, Language language) {
  const bool comment = language == Language::python ? text.contains('#') : text.contains("//") || text.contains("/*");
  return trim(text).empty() || (comment && trim(blank_strings_and_comments(text, language)).empty());
}

bool is_identifier(std::string_view word) {
  return !word.empty() && !is_digit(word[0]) && std::ranges::all_of(word, is_word);
}

}  // namespace tally
