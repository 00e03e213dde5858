/// A record as JSON text and back.
///
/// Writing: keys in a fixed order and one case to a line, so that two records diff well; text that is not UTF-8 (a
/// compiler's message may not be) gets replacement characters. Reading: types and closed sets of words are checked and
/// the first wrong place is named as "cases[3].counts.iterations"; unknown keys are passed over, so that a reader
/// stands what a later version adds. Schema 1 is read as what schema 2 makes of it; a newer one is refused. Never
/// touches files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "record/record.h"

namespace tally {

std::string to_json(const Record& record);

/// The same, handed to `sink` in pieces. `case_text` gives the JSON of the i-th case: a record of thousands of cases
/// need not be in memory with all its samples. The first error of either ends it.
Status write_json(const Record& record, const std::function<Result<std::string>(std::size_t)>& case_text,
                  const std::function<Status(std::string_view)>& sink);

/// The same of a record whose cases are elsewhere: `cases` of them.
Status write_json(const Record& head, std::size_t cases,
                  const std::function<Result<std::string>(std::size_t)>& case_text,
                  const std::function<Status(std::string_view)>& sink);

/// `where` names the text in errors: a path.
Result<Record> record_from_json(std::string_view text, const std::string& where);

/// One case alone, on one line without its newline: what a run's journal holds.
std::string case_to_json(const CaseRecord& record);
Result<CaseRecord> case_from_json(std::string_view text, const std::string& where);

/// All that are set, on one line.
std::string settings_to_json(const Settings& settings);
std::string settings_to_json(const RecordedSettings& settings);

/// Settings of which only some are given, as a client of a server does: what is absent has its default. A key that no
/// setting has is an error. `where` begins the places of errors.
Result<Settings> settings_from_json(std::string_view text, const std::string& where);

}  // namespace tally
