/// What a profile has more than another one of the same program: that of a longer call, less that of a shorter one.
/// Pure.
#pragma once

#include "profile/instruction_costs.h"
#include "profile/profile.h"

namespace tally {

/// Costs and calls of the same functions, by their names; never below 0.
void subtract(Profile& from, const Profile& off);

/// Costs of the same instructions, by their functions' names and their addresses; never below 0.
void subtract(InstructionCosts& from, const InstructionCosts& off);

}  // namespace tally
