/// From what execution found to what a record says of a case. Pure.
#pragma once

#include "execution/options.h"
#include "execution/outcome.h"
#include "expansion/case.h"
#include "record/record.h"

namespace tally::cli {

/// The definition alone, not run: status "skipped".
CaseRecord describe_case(const Case& c);

/// `reproduce` is the command that runs this case alone, for failures.
CaseRecord assemble(const Case& c, const CaseOutcome& outcome, const ExecutionOptions& options,
                    const std::string& reproduce);

}  // namespace tally::cli
