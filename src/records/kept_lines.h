/// What is kept of a case beside its record: its source lines, and all that a comparison takes for evidence. Every
/// error names the path.
#pragma once

#include <iosfwd>
#include <string>

#include "base/error.h"
#include "comparison/evidence.h"
#include "profile/line_costs.h"
#include "record/record.h"

namespace tally {

/// The lines of a case in C++ with the texts that were kept; "RECORD#CASE" or the file of a profile.
Result<KeptLines> load_lines(const std::string& file_or_case);

/// Of a case of the record at `path`.
Result<KeptLines> load_lines(const CaseRecord& record, const std::string& path);

/// What lies beside two records, and nothing of a case that has kept nothing. A profile that was kept and cannot be
/// read is reported on `err`, once. `base` outlives it.
Evidence evidence_beside(const Record& base, const std::string& base_path, const std::string& next_path,
                         std::ostream* err = nullptr);

}  // namespace tally
