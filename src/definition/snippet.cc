#include "definition/snippet.h"

#include <fmt/format.h>

#include <algorithm>

namespace tally {

std::string describe(const SourcePosition& position) {
  if (position.line == 0) return position.file;
  if (position.column == 0) return fmt::format("{}:{}", position.file, position.line);
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
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
