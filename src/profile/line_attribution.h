/// Which source line each instruction counts to. Pure: what debug information says of an address is a function.
///
/// An instruction counts to the line that was written in a file of the user's: where a library's code was inlined, to
/// the line that calls it. Library code that was compiled beside the user's without being inlined (a template) counts
/// to the line that calls it, too, if there is but one such line; otherwise to its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "profile/instruction_costs.h"
#include "profile/line_costs.h"

namespace tally {

/// What an instruction's line is.
struct CodeLine {
  SourceLine at;          ///< Line 0: of what the compiler has written itself.
  bool is_users = false;  ///< In a file of the user's.
};
/// Nothing: no line is known.
using CodeLines = std::function<std::optional<CodeLine>(const std::string& object, std::uint64_t address)>;

/// All of `costs`, by line, and where there is none, by object.
LineCosts attributed(const InstructionCosts& costs, const CodeLines& lines);

}  // namespace tally
