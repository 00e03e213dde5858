#include "harness.h"

namespace tally::cli_test {
namespace {

TEST(Torch, ASliceOfTheQuickSuite) {
  // Both languages, eager and TorchScript.
  Ran ran;
  const Record record = record_of({"run", "suites/torch_quick.toml", "--filter", "nn Modules/Linear*", "--filter",
                                   "Pointwise/add*", "--counts-only"},
                                  ran);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_EQ(record.cases.size(), 6U);
  for (const CaseRecord& c : record.cases) {
    ASSERT_TRUE(c.counts) << c.id;
    EXPECT_GT(c.counts->per_iteration, 1000) << c.id;
    if (c.language == "cpp") {
      EXPECT_EQ(c.counts->spread, 0) << c.id;
    } else {
      EXPECT_LE(c.counts->spread, 0.001) << c.id;
    }
  }
}

}  // namespace
}  // namespace tally::cli_test
