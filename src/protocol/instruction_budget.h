/// Limits the weight of a warm-up and a region of a program's benchmark, where its number of executions is chosen.
#pragma once

#include <cstdint>

namespace tally::protocol {

/// Instructions: a second where nothing is counted, and about a minute for a case where all is.
inline constexpr std::uint64_t kInstructionBudget = 300'000'000;

/// Executions of a region, the most that fit; so each run takes the same number. Programs in Python have these steps,
/// too (EXECUTIONS of host/python/tally_program.py; instruction_budget_test.cc holds them equal): a number more in its
/// module would move the counts of every case in Python.
inline constexpr std::uint64_t kExecutionSteps[] = {100, 50, 20, 10, 5, 2, 1};

}  // namespace tally::protocol
