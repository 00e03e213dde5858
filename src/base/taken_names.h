/// Names that no parameter of a benchmark may have, because ids and filters use them. Suites refuse them; programs that
/// are written for Google Benchmark have "_" behind them. Pure.
#pragma once

#include <string_view>

namespace tally {

inline constexpr std::string_view kTakenNames[] = {"threads", "device", "language", "runtime", "autograd", "tag"};

}  // namespace tally
