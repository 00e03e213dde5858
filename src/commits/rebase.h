/// Measuring a record's commit here: built in a work tree of its own, with today's suite, as another record was
/// measured.
#pragma once

#include <functional>
#include <string>

#include "discovery/toolchains.h"
#include "record/record.h"
#include "run/observer.h"
#include "run/workspace.h"

#include "record/record.h"

namespace tally {

struct Rebased {
  Record record;
  std::string path;  ///< Of the record that profiles lie beside; empty: there are none.
};

struct RebaseRequest {
  std::string build;  ///< Bash text that builds the commit of `base`.
  const Record& base;
  const Record& next;
  Tools tools;  ///< What a record does not say.
};

/// Builds the commit of `base`, and measures the cases of `base` that the suite of `next` still has. Cases of `base`
/// that `next` lacks stay as they are. `notice` is for a person. Errors (input): `base` says no commit, or was measured
/// with changes that are not in it; `next` says no suite of this repository; the commit cannot be built or measured.
Result<Rebased> rebase(Workspace& workspace, const Caller& caller, const RebaseRequest& request, RunObserver& observer,
                       const std::function<void(const std::string&)>& notice);

}  // namespace tally
