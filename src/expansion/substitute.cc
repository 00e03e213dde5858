#include "expansion/substitute.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tally {

Result<Snippet> substitute(const Snippet& snippet, const ParamValues& params, const std::string& where) {
  const std::string_view text = snippet.text;
  Snippet result = snippet;
  result.text.clear();
  std::size_t done = 0;
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", done)) {
    const bool literal = at > done && text[at - 1] == '$';
    result.text += text.substr(done, at - done - (literal ? 1 : 0));
    if (literal) {
      result.text += "${";
      done = at + 2;
      continue;
    }
    const SourcePosition position = position_of(snippet, at);
    const std::string place = position.line > 0 ? describe(position) : where;
    const std::size_t close = text.find_first_of("}\n", at);
    if (close == std::string_view::npos || text[close] == '\n') {
      return fail(ErrorKind::input, fmt::format("'{}' is never closed", text.substr(at, close - at)), place,
                  "write ${name}, or $${ for a literal ${");
    }
    const std::string name(text.substr(at + 2, close - at - 2));
    const auto param = std::ranges::find(params, name, &std::pair<std::string, std::string>::first);
    if (param == params.end()) {
      std::vector<std::string_view> known;
      for (const auto& [key, value] : params) known.emplace_back(key);
      const std::string near = nearest(name, known);
      return fail(
          ErrorKind::input, fmt::format("unknown parameter '${{{}}}'", name), place,
          near.empty()
              ? fmt::format("declare it, as in params = {{ {} = [1, 2] }}, or write $${{{}}} for the literal text",
                            name.empty() ? "n" : name, name)
              : fmt::format("did you mean '${{{}}}'?", near));
    }
    result.text += param->second;
    done = close + 1;
  }
  result.text += text.substr(done);
  return result;
}

}  // namespace tally
