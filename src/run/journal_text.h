/// The text of a journal: its lines, written and read (journal.h says what they are).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

struct JournalHeader {
  std::map<std::string, std::string> facts;  ///< In words that a user knows: "--iterations" → "100".
  bool operator==(const JournalHeader&) const = default;
};

struct Journal {
  JournalHeader header;
  std::vector<std::string> payloads;  ///< In the order in which they were appended.
  std::uint64_t whole_bytes = 0;      ///< Up to the end of the last whole line.
  bool torn = false;                  ///< There was something after it.
};

/// `where` is the path, for the errors.
Result<Journal> parse_journal(std::string_view bytes, const std::string& where);

/// Each with its newline.
std::string journal_header_line(const JournalHeader& header);
std::string journal_line(std::string_view payload);

}  // namespace tally
