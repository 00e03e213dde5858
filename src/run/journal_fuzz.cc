/// Any bytes: the reader must accept or refuse them, and what it accepts must be what the writer would write.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "run/journal.h"
#include "run/journal_text.h"

namespace {

void hold(std::string_view bytes) {
  const tally::Result<tally::Journal> journal = tally::parse_journal(bytes, "fuzz");
  if (!journal) return;
  if (journal->whole_bytes > bytes.size() || journal->torn != (journal->whole_bytes < bytes.size())) std::abort();
  std::string again = tally::journal_header_line(journal->header);
  for (const std::string& payload : journal->payloads) again += tally::journal_line(payload);
  const tally::Result<tally::Journal> same = tally::parse_journal(again, "fuzz");
  if (!same || same->payloads != journal->payloads || same->torn) std::abort();
}

/// The first line as it is, and each other one as a payload with its checksum: no mutation finds one that fits.
std::string with_checksums(std::string_view lines) {
  std::string text;
  for (bool is_first = true; !lines.empty(); is_first = false) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    text += is_first ? std::string(line) + '\n' : tally::journal_line(line);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  hold(bytes.starts_with('#') ? with_checksums(bytes.substr(1)) : bytes);
  return 0;
}
