/// Results of pytest-benchmark, pyperf and asv.
#pragma once

#include <span>

#include "exchange/import_common.h"

namespace tally::exchange {

Result<Results> read_pytest_benchmark(std::span<const File> files);
Result<Results> read_pyperf(std::span<const File> files);
Result<Results> read_asv(std::span<const File> files);

}  // namespace tally::exchange
