/// Harmless changes of a case's surroundings, made on purpose: the range of its counts over them is its noise floor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tally {

struct Perturbation {
  std::string name;  ///< "hash_seed=1"; empty: undisturbed.
  unsigned hash_seed = 0;
  std::uint64_t heap_padding = 0;
  std::uint64_t stack_padding = 0;
  std::uint64_t environment_padding = 0;
};

/// Eight: three of the heap, three of the stack, one of each that a host is started with. Those that need no host of
/// their own come first, so that they share the undisturbed one's.
std::vector<Perturbation> standard_perturbations();

}  // namespace tally
