/// Measures for a gate, with this process's own signals and CPUs: a record's cases a second time, with the record's
/// settings, or the commit of a base.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/context.h"
#include "commits/rebase.h"
#include "record/record.h"
#include "run/run.h"

namespace tally::cli {

/// Measures these cases of a suite's or a program's file again, in the way that `as` was measured. An error where their
/// definition is another one, where they are of another subject now, or ran in another environment.
using Remeasure =
    std::function<Result<Record>(const std::string& suite, const std::vector<std::string>& ids, const Record& as)>;

/// `tools`, `cores` and a program's own arguments are what a record does not say. `err` is for progress, and must
/// outlive the function.
Remeasure remeasure_with(const Context& context, const Tools& tools, const std::string& cores,
                         const std::vector<std::string>& program_args, std::ostream& err);

/// The base's commit, built with the command and measured here: see rebase().
using Rebase = std::function<Result<Rebased>(const std::string& build, const Record& base, const Record& next)>;

/// The same as above of tools, cores and `err`.
Rebase rebase_with(const Context& context, const Tools& tools, const std::string& cores, std::ostream& err);

}  // namespace tally::cli
