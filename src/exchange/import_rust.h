/// criterion.rs's results: a folder for each benchmark, of which "new" has the latest.
#pragma once

#include <span>

#include "exchange/import_common.h"

namespace tally::exchange {

/// target/criterion keeps each benchmark's latest results until it is measured again, so some may be of another commit.
/// Those of the latest run: their files are not older than the commit where the newest is not, and follow each other
/// within kLongestPause. The others are named in `left_out`.
std::vector<File> of_latest_run(std::span<const File> files, std::int64_t committed,
                                std::vector<std::string>& left_out);

/// Between two benchmarks of one run, which are seconds to minutes apart.
inline constexpr std::int64_t kLongestPause = 3600;

Result<Results> read_criterion(std::span<const File> files);

}  // namespace tally::exchange
