#include "build/diagnostics.h"

#include "base/text.h"

namespace tally {

std::string first_complaint(const ProcessResult& result) {
  if (!std::holds_alternative<Exited>(result.outcome)) return describe(result.outcome);
  const std::string text = result.err.text() + "\n" + result.out.text();
  std::string_view last;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view mark : {"error:", "undefined reference", "undefined symbol"}) {
      if (line.find(mark) != std::string_view::npos) return std::string(trim(line));
    }
    if (!trim(line).empty()) last = trim(line);
  }
  return last.empty() ? describe(result.outcome) : std::string(last);
}

}  // namespace tally
