/// What `--reuse` names: the records whose counts may stand for new ones.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "record/record.h"

namespace tally::cli {

/// `named` is a record's file, or a history's store: a folder, or "git:BRANCH" of the repository that the folder
/// `repository` lies in. Of a store its newest runs of what is measured, newest first, whichever commits
/// and environments they are of; `measured` is the suite or program as the user named it, and where there is no run of
/// it, that is said on `err`. Errors (input): there is no such file, store or repository, or it cannot be read.
Result<std::vector<Record>> known_records(const Context& context, const std::string& named,
                                          const std::string& repository, const std::string& measured,
                                          std::ostream& err);

}  // namespace tally::cli
