/// A record as JSON text and back.
///
/// Writing: keys in a fixed order and one case to a line, so that two records diff well; text that is not UTF-8 (a
/// compiler's message may not be) gets replacement characters. Reading: types and closed sets of words are checked and
/// the first wrong place is named as "cases[3].counts.iterations"; unknown keys are passed over, so that a reader
/// stands the additions of a later 1.x; another schema number is refused. Never touches files.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "record/record.h"

namespace tally {

std::string to_json(const Record& record);
/// `where` names the text in errors: a path.
Result<Record> record_from_json(std::string_view text, std::string where);

/// One case alone, on one line without its newline: what a run's journal holds.
std::string case_to_json(const CaseRecord& record);
Result<CaseRecord> case_from_json(std::string_view text, std::string where);

}  // namespace tally
