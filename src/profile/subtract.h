/// The difference of two profiles of one program: that of a longer call, less that of a shorter one. Pure.
#pragma once

#include <string_view>

#include "base/error.h"
#include "profile/instruction_costs.h"
#include "profile/profile.h"

namespace tally {

/// Costs and calls of the same functions, by their names; never below 0.
void subtract(Profile& from, const Profile& off);

/// Of Callgrind's texts of a longer and a shorter call; without the shorter one, all of the longer. An error (input):
/// one of them cannot be read.
Result<Profile> profile_less(std::string_view longer, std::string_view shorter);

/// Costs of the same instructions, by their functions' names and their addresses; never below 0.
void subtract(InstructionCosts& from, const InstructionCosts& off);

}  // namespace tally
