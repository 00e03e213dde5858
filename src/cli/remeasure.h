/// Measuring cases of a record a second time, with this process's own signals and CPUs, as their record says.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/context.h"
#include "record/record.h"
#include "run/run.h"

namespace tally::cli {

/// Measures these cases of a suite's or a program's file again, in the way that `as` was measured. An error where they
/// are of another subject now, or ran in another environment.
using Remeasure =
    std::function<Result<Record>(const std::string& suite, const std::vector<std::string>& ids, const Record& as)>;

/// `tools` and `cores` are what a record does not say. `err` is for progress, and must outlive the function.
Remeasure remeasure_with(const Context& context, const Tools& tools, const std::string& cores, std::ostream& err);

}  // namespace tally::cli
