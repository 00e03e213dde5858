#include "definition/signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "definition/lexical.h"

namespace tally {

Result<Signature> parse_signature(const Snippet& text) {
  const auto refuse = [&](std::string message, std::string hint) {
    return fail(ErrorKind::input, std::move(message), describe(text.at), std::move(hint));
  };
  const auto not_understood = [&] {
    return refuse(fmt::format("signature '{}' is not understood", text.text),
                  "write \"f(a, b) -> c\", or \"f(a, b) -> None\" when nothing is returned");
  };

  const std::string_view whole = trim(text.text);
  const std::size_t close = whole.rfind(')');
  const std::size_t arrow = whole.find("->");
  if (!whole.starts_with("f(") || arrow == std::string_view::npos || close == std::string_view::npos) {
    return not_understood();
  }
  const std::string_view result = trim(whole.substr(arrow + 2));
  if (result.contains(',')) {
    return refuse(fmt::format("a signature has one return value, but '{}' has several", text.text),
                  "name one variable, as in \"f(a, b) -> c\"");
  }
  const std::string_view head = trim(whole.substr(0, arrow));
  if (!head.ends_with(')') || !is_identifier(result)) return not_understood();

  Signature signature;
  if (result != "None") signature.result = result;
  const std::string_view arguments = trim(head.substr(2, head.size() - 3));
  if (arguments.empty()) return signature;
  for (std::string_view part : split(arguments, ',')) {
    const std::string argument(trim(part));
    if (!is_identifier(argument)) {
      return refuse(fmt::format("'{}' in signature '{}' is not the name of a variable", argument, text.text),
                    "write plain names, as in \"f(a, b) -> c\"; types and defaults have no place there");
    }
    if (contains(signature.arguments, argument)) {
      return refuse(fmt::format("signature '{}' names '{}' twice", text.text, argument), "name each argument once");
    }
    signature.arguments.push_back(argument);
  }
  return signature;
}

}  // namespace tally
