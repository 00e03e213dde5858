#include "how_often.h"

#include <valgrind/valgrind.h>

#include <algorithm>

#include "protocol/collected.h"
#include "protocol/instruction_budget.h"

namespace tally::embedded {

namespace {

std::uint64_t most_that_fit(std::uint64_t size, std::uint64_t most) {
  for (const std::uint64_t step : protocol::kExecutionSteps) {
    if (step <= most && step * size <= protocol::kInstructionBudget) return step;
  }
  return 1;
}

}  // namespace

std::uint64_t counted_so_far() { return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, host::kReadCollected, 0, 0, 0, 0, 0); }

bool is_light(std::uint64_t size) { return protocol::kExecutionSteps[0] * size <= protocol::kInstructionBudget; }

std::uint64_t warm_up_of(std::uint64_t size, std::uint64_t usual) {
  return is_light(size) ? usual : std::min(usual, most_that_fit(size, usual));
}

std::uint64_t executions_of(std::uint64_t size) { return most_that_fit(size, protocol::kExecutionSteps[0]); }

}  // namespace tally::embedded
