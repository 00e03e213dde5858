/// What each instruction of a region cost: Callgrind's output with --dump-instr=yes and --compress-pos=no. Pure.
///
/// Addresses are those of the object's file, whatever address it was loaded at (Valgrind 3.19). Costs are of the first
/// event, which is Ir. Inlined code is its function's: which line it is of, debug information says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

struct InstructionCosts {
  struct Function {
    std::string object;  ///< Path.
    std::string name;
  };
  struct Cost {
    std::uint32_t function = 0;
    std::uint64_t address = 0;
    std::uint64_t cost = 0;
    auto operator<=>(const Cost&) const = default;
  };
  /// An instruction that calls, or jumps to, another function.
  struct Call {
    std::uint32_t function = 0;
    std::uint64_t address = 0;
    std::uint32_t callee = 0;
    auto operator<=>(const Call&) const = default;
  };

  std::vector<Function> functions;
  std::vector<Cost> costs;  ///< An instruction may be there more than once.
  std::vector<Call> calls;
  std::uint64_t total = 0;
};

/// An error (input): no addresses, an end that is missing, or instructions that do not add up to the total.
Result<InstructionCosts> parse_instruction_costs(std::string_view bytes);

}  // namespace tally
