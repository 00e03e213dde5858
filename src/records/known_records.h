/// The records that `--reuse` names, whose counts may stand for new ones.
#pragma once

#include <string>
#include <vector>

#include "history/named_store.h"
#include "record/record.h"

namespace tally {

/// `named.store` is a record's file, or a history's store: a folder, or "git:BRANCH" of the repository. Of a store its
/// newest runs of what is measured, newest first, whichever commits and environments they are of; `measured` is the
/// suite or program as the user named it. Errors (input): there is no such file, store or repository, or it cannot be
/// read. Empty: a store has no run of what is measured.
Result<std::vector<Record>> known_records(ProcessRunner& runner, const NamedStore& named, const std::string& measured);

}  // namespace tally
