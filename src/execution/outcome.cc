#include "execution/outcome.h"

#include "execution/options.h"

namespace tally {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::counts:
      return "counts";
    case Mode::wall:
      return "wall";
    case Mode::result:
      break;
  }
  return "result";
}

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::ok:
      return "ok";
    case Ending::failed:
      return "failed";
    case Ending::timed_out:
      return "timeout";
    case Ending::crashed:
      return "crashed";
    case Ending::host_lost:
      return "host lost";
    case Ending::cancelled:
      return "cancelled";
  }
  return "";
}

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
