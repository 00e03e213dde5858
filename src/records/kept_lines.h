/// A case's source lines as they are kept beside its record, for comparisons. Every error names the path.
#pragma once

#include <string>

#include "base/error.h"
#include "comparison/comparison.h"
#include "profile/line_costs.h"
#include "record/record.h"

namespace tally {

/// The lines of a case in C++ with the texts that were kept; "RECORD#CASE" or the file of a profile.
Result<KeptLines> load_lines(const std::string& file_or_case);

/// Of a case of the record at `path`.
Result<KeptLines> load_lines(const CaseRecord& record, const std::string& path);

/// Where each case that moved allocates otherwise, and its lines that moved: of what both sides have kept.
void add_places(Comparison& comparison, const std::string& base_path, const std::string& next_path);

}  // namespace tally
