/// The reader of records in two steps, for callers that parse the cases themselves. Internal to src/record.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "record/record.h"

namespace tally {

/// As record_from_json(), but that nobody has held `part` against the number of cases.
Result<Record> head_from_json(std::string_view text, const std::string& where);

/// One case, of which nobody has asked whether it contradicts itself. `place` begins the places of errors: "cases[3]".
Result<CaseRecord> unchecked_case_from_json(std::string_view text, const std::string& where, const std::string& place);

/// A case contradicts itself nowhere (soundness.h).
Status check_case(const CaseRecord& record, const std::string& where, const std::string& place);

/// More than a plan has, by far: the text of a suite has an end. Who believes a number has room made for it.
inline constexpr std::size_t kMostCases = 10'000'000;

/// The places that a part names are those of its cases.
Status check_part(const Record& head, std::size_t cases, const std::string& where);

}  // namespace tally
