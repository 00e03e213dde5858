/// Parameters into text: ${name} becomes the value, and $${ becomes ${.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "definition/snippet.h"

namespace tally {

using ParamValues = std::vector<std::pair<std::string, std::string>>;

/// An unknown name or a missing brace is an error at its own place in the file, or at `where` when that is unknown.
Result<Snippet> substitute(const Snippet& snippet, const ParamValues& params, const std::string& where);

}  // namespace tally
