/// Measuring suspects a second time: a regression that a second measurement does not show was none.
#pragma once

#include <string>
#include <vector>

#include "definition/suite.h"
#include "run/run.h"

namespace tally {

/// The cases `ids` of a suite (`suite_path` as in RunRequest), measured as `next` says that it was. An error (input):
/// the suite has none of them, they were measured in another environment or of another subject than `next`, or it was
/// interrupted.
Result<Record> measure_again(Workspace& workspace, const Suite& suite, const std::string& suite_path,
                             const std::vector<std::string>& ids, const Record& next, const Caller& caller,
                             const Tools& tools, RunObserver& observer);

/// Replaces the results of `next` by those of `again`, where there are such.
void replace_cases(Record& next, const Record& again);

}  // namespace tally
