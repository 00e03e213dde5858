/// Measuring suspects a second time: a regression that a second measurement does not show was none.
#pragma once

#include <string>
#include <vector>

#include "definition/suite.h"
#include "run/run.h"

namespace tally {

struct AgainRequest {
  const Suite& suite;
  std::string suite_path;        ///< As in RunRequest.
  std::vector<std::string> ids;  ///< Which of its cases.
  const Record& as;              ///< They are measured as this says that they were.
  Caller caller;
  Tools tools;
};

/// An error (input): the suite has none of the cases, it has one of them by another definition than `as` (nothing is
/// measured then), they were measured in another environment or of another subject, or it was interrupted.
Result<Record> measure_again(Workspace& workspace, const AgainRequest& request, RunObserver& observer);

/// Replaces the results of `next` by those of `again`, where there are such.
void replace_cases(Record& next, const Record& again);

}  // namespace tally
