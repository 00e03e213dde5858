#include "hosts/host_end.h"

#include <fmt/format.h>

#include <csignal>

#include "base/overloaded.h"
#include "base/text.h"

namespace tally {
namespace {

/// Valgrind begins its lines with the process: "==123== text".
std::string_view without_valgrind_prefix(std::string_view line) {
  if (!line.starts_with("==")) return line;
  const std::size_t end = line.find_first_not_of("0123456789", 2);
  return end != std::string_view::npos && end > 2 && line.substr(end).starts_with("==") ? trim(line.substr(end + 2))
                                                                                        : line;
}

}  // namespace

std::string last_words(const ProcessResult& result) {
  const std::string text = result.err.text();
  std::string_view said;
  for (const std::string_view line : split(text, '\n')) {
    if (const std::string_view words = without_valgrind_prefix(trim(line)); !words.empty()) said = words;
  }
  return said.empty() ? describe(result.outcome) : fmt::format("{}: {}", describe(result.outcome), said);
}

std::string hint_for_start(std::string_view last_words) {
  // AddressSanitizer's last line is one of two.
  const bool is_sanitized = last_words.contains("ASan") || last_words.contains("End of process memory map");
  return is_sanitized ? "; Valgrind cannot run it: build it without -fsanitize=address" : "";
}

int wait_status_of(const Outcome& outcome) {
  return std::visit(Overloaded{[](const Exited& exited) { return exited.code << 8; },
                               [](const Signaled& signaled) { return signaled.signal; },
                               [](const auto& /*cut short*/) { return SIGKILL; }},
                    outcome);
}

}  // namespace tally
