#include "cli/exit_codes.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace tally::cli {

Result<std::vector<int>> exit_codes(const std::string& text, const std::string& option, std::vector<int> codes) {
  constexpr int kMostStatus = 255;
  if (text == "any") return std::vector<int>();
  for (const std::string_view part : split(text, ',')) {
    int code = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), code);
    if (error != std::errc() || end != part.data() + part.size() || code < 0 || code > kMostStatus) {
      return fail(ErrorKind::input, fmt::format("'{}' is not an exit code", part), option,
                  "write numbers from 0 to 255, such as 0,1, or any");
    }
    codes.push_back(code);
  }
  return codes;
}

}  // namespace tally::cli
