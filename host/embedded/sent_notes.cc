#include "sent_notes.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tally::embedded {

SentNotes sent(const detail::Notes& notes, std::uint64_t done) {
  SentNotes all{.done = done, .left_out = 0, .label = {}, .counters = {}};
  notes.label.copy(all.label, sizeof all.label - 1);
  std::size_t size = 0;
  for (const auto& [name, counter] : notes.counters) {
    std::string line = std::to_string(counter.flags);
    // Bits, for a locale may be the function's.
    line.append(" ").append(std::to_string(std::bit_cast<std::uint64_t>(counter.value)));
    line.append(" ").append(name).append("\n");
    if (name.find('\n') != std::string::npos || size + line.size() >= sizeof all.counters) {
      ++all.left_out;
      continue;
    }
    size += line.copy(all.counters + size, line.size());
  }
  return all;
}

detail::Notes received(const SentNotes& sent) {
  detail::Notes notes;
  notes.label = sent.label;
  for (const char* line = sent.counters; *line != 0;) {
    char* end = nullptr;
    const auto flags = static_cast<unsigned>(std::strtoul(line, &end, 10));
    const auto value = std::bit_cast<double>(std::uint64_t{std::strtoull(end, &end, 10)});
    line = std::strchr(end, '\n');
    notes.counters[std::string(static_cast<const char*>(end) + 1, line)] = {value, flags};
    ++line;
  }
  if (sent.left_out > 0) {
    if (!notes.label.empty()) notes.label += "; ";
    notes.label += std::to_string(sent.left_out) + " counters are left out: their names take too much room";
  }
  return notes;
}

}  // namespace tally::embedded
