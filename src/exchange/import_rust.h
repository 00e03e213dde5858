/// criterion.rs's results: a folder for each benchmark, of which "new" has the latest.
#pragma once

#include <span>

#include "exchange/import_common.h"

namespace tally::exchange {

Result<Results> read_criterion(std::span<const File> files);

}  // namespace tally::exchange
