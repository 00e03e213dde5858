/// How heavy a warm-up and a region of a program's benchmark may be, where its number of executions is chosen.
#pragma once

#include <cstdint>

namespace tally::protocol {

/// Instructions: a second where nothing is counted, and about a minute for a case where all is.
inline constexpr std::uint64_t kInstructionBudget = 300'000'000;

}  // namespace tally::protocol
