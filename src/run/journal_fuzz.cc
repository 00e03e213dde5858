/// Any bytes: the reader must accept or refuse them, and what it accepts must be what the writer would write.
#include <cstdint>
#include <cstdlib>

#include "run/journal.h"
#include "run/journal_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const tally::Result<tally::Journal> journal = tally::parse_journal(bytes, "fuzz");
  if (!journal) return 0;
  if (journal->whole_bytes > size || journal->torn != (journal->whole_bytes < size)) std::abort();
  std::string again = tally::journal_header_line(journal->header);
  for (const std::string& payload : journal->payloads) again += tally::journal_line(payload);
  const tally::Result<tally::Journal> same = tally::parse_journal(again, "fuzz");
  if (!same || same->payloads != journal->payloads || same->torn) std::abort();
  return 0;
}
