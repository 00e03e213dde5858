#include "protocol/instruction_budget.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tally::protocol {
namespace {

TEST(InstructionBudget, StepsAreThoseOfProgramsInPython) {
  std::ifstream file(TALLY_SOURCE_DIR "/host/python/tally_program.py");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string expected;
  for (const std::uint64_t step : kExecutionSteps) expected += (expected.empty() ? "" : ", ") + std::to_string(step);
  EXPECT_NE(text.find("\nEXECUTIONS = (" + expected + ")"), std::string::npos) << expected;
}

}  // namespace
}  // namespace tally::protocol
