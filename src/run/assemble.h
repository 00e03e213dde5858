/// Makes a record's case from an outcome of execution. Pure.
#pragma once

#include "expansion/case.h"
#include "record/record.h"
#include "session/outcome.h"

namespace tally {

/// What its definition says.
CaseDescription describe_case(const Case& measured);

/// `precision` is the one that its times were to reach; `reproduce` the command that runs this case alone, for
/// failures.
CaseRecord assemble(const Case& measured, const CaseOutcome& outcome, double precision, const std::string& reproduce);

/// Once all is known of a case: leaves those of its device's cards that it has used, where that is known, and reports
/// what has slowed them down.
void judge_cards(CaseRecord& record);

}  // namespace tally
