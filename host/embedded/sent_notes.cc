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
    std::string text = std::to_string(counter.flags);
    // Bits, for a locale may be the function's.
    text.append(" ").append(std::to_string(std::bit_cast<std::uint64_t>(counter.value)));
    text.append(" ").append(name.c_str());
    if (size + text.size() + 1 >= sizeof all.counters) {
      ++all.left_out;
      continue;
    }
    size += text.copy(all.counters + size, text.size()) + 1;
  }
  return all;
}

detail::Notes received(const SentNotes& sent) {
  detail::Notes notes;
  notes.label = sent.label;
  for (const char* text = sent.counters; *text != 0; text += std::strlen(text) + 1) {
    char* end = nullptr;
    const auto flags = static_cast<unsigned>(std::strtoul(text, &end, 10));
    const auto value = std::bit_cast<double>(std::uint64_t{std::strtoull(end, &end, 10)});
    notes.counters[end + 1] = {value, flags};
  }
  if (sent.left_out > 0) {
    if (!notes.label.empty()) notes.label += "; ";
    notes.label += std::to_string(sent.left_out) + " counters are left out: their names take too much room";
  }
  return notes;
}

}  // namespace tally::embedded
