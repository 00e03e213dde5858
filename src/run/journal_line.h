/// The two kinds of line of a journal, with their newline. Between journal.cc and journal_parse.cc only.
#pragma once

#include <string>
#include <string_view>

#include "run/journal.h"

namespace tally {

std::string journal_header_line(const JournalHeader& header);
std::string journal_line(std::string_view payload);

}  // namespace tally
