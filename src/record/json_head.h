/// The reader of records in two steps, for who reads cases otherwise. Internal to src/record.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "record/record.h"

namespace tally {

/// As record_from_json(), but that nobody has held `part` against the number of cases.
Result<Record> head_from_json(std::string_view text, const std::string& where);

/// The places that a part names are those of its cases.
Status check_part(const Record& head, std::size_t cases, const std::string& where);

}  // namespace tally
