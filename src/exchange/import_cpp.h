/// Google Benchmark's results.
#pragma once

#include <span>

#include "exchange/import_common.h"

namespace tally::exchange {

Result<Results> read_google_benchmark(std::span<const File> files);

}  // namespace tally::exchange
