#include "cli/result_verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tally::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ResultVerdicts, AreSaidOfCasesAndToPeople) {
  const std::vector<ResultVerdict> verdicts = {{.id = "a", .sameness = Sameness::same},
                                               {.id = "b", .sameness = Sameness::differs, .a = "1", .b = "2"},
                                               {.id = "c", .sameness = Sameness::unknown, .why = "a pointer"}};
  Comparison comparison;
  for (const char* id : {"a", "b", "c", "d"}) comparison.cases.emplace_back().id = id;
  note_results(verdicts, comparison);
  EXPECT_EQ(comparison.cases[0].result, "same");
  EXPECT_THAT(comparison.cases[1].note_texts(), ElementsAre("THE RESULTS DIFFER: A left 1; B left 2"));
  EXPECT_THAT(comparison.cases[2].note_texts(), ElementsAre("the results cannot be compared: a pointer"));
  EXPECT_EQ(comparison.cases[3].result, "");
  std::ostringstream out;
  print_results(verdicts, out);
  EXPECT_THAT(out.str(), HasSubstr("THE RESULTS DIFFER: b\n  A left 1\n  B left 2\n"));
  EXPECT_THAT(out.str(), HasSubstr("results: 1 the same, 1 different, 1 that cannot be compared\n"));
}

}  // namespace
}  // namespace tally::cli
