/// What `--expect-status` and its like say: the exit codes that are no failure.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tally::cli {

/// "0,1" and what `codes` has already; "any": none of them, which stands for all. An error (input): a number beyond 0
/// to 255, or none.
Result<std::vector<int>> exit_codes(const std::string& text, const std::string& option, std::vector<int> codes = {});

}  // namespace tally::cli
