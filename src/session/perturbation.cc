#include "session/perturbation.h"

namespace tally {

std::vector<Perturbation> standard_perturbations() {
  return {
      {.name = "heap_padding=48", .heap_padding = 48},
      {.name = "heap_padding=1040", .heap_padding = 1040},
      {.name = "heap_padding=33000", .heap_padding = 33000},
      {.name = "stack_offset=64", .stack_padding = 64},
      {.name = "stack_offset=1088", .stack_padding = 1088},
      {.name = "stack_offset=6464", .stack_padding = 6464},
      {.name = "hash_seed=1", .hash_seed = 1},
      {.name = "environment=+3072", .environment_padding = 3072},
  };
}

}  // namespace tally
