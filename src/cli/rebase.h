/// Measuring a record's commit here: built in a work tree of its own, with today's suite, as another record was
/// measured.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "discovery/toolchains.h"
#include "record/record.h"

namespace tally::cli {

struct Rebased {
  Record record;
  std::string path;  ///< Of the record that profiles lie beside; empty: there are none.
};

/// Builds the commit of `base` with the command, and measures the cases of `base` that the suite of `next` still has.
/// Cases of `base` that `next` lacks stay as they are. Errors (input): `base` says no commit, or was measured with
/// changes that are not in it; `next` says no suite of this repository; the commit cannot be built or measured.
using Rebase = std::function<Result<Rebased>(const std::string& build, const Record& base, const Record& next)>;

/// `tools` and `cores` are what a record does not say. `err` is for progress, and must outlive the function.
Rebase rebase_with(const Context& context, const Tools& tools, const std::string& cores, std::ostream& err);

}  // namespace tally::cli
