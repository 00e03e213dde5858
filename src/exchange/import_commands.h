/// hyperfine's results, and lists of named values.
#pragma once

#include <span>

#include "exchange/import_common.h"

namespace tally::exchange {

Result<Results> read_hyperfine(std::span<const File> files);
Result<Results> read_named_values(std::span<const File> files);

}  // namespace tally::exchange
