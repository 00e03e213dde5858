// A record that the version before wrote: a real run, without its profiles and most of its samples. Its suite is beside
// it, and gives the same cases today.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "comparison/comparison.h"
#include "definition/read_suite.h"
#include "plan/plan.h"
#include "record/json.h"

namespace tally {
namespace {

const std::string kData = TALLY_SOURCE_DIR "/tests/records/data/";

Record stored() {
  const Result<std::string> text = read_file(kData + "schema_1.json");
  EXPECT_TRUE(text);
  EXPECT_THAT(*text, testing::HasSubstr("[python torchscript forward_backward threads=2]"));
  Result<Record> record = record_from_json(*text, "schema_1.json");
  EXPECT_TRUE(record) << describe(record.error());
  return record ? *std::move(record) : Record{};
}

TEST(Migration, ARecordOfSchema1HasTheCasesOfItsSuite) {
  const Record record = stored();
  const Result<Suite> suite = read_suite(kData + "schema_1.toml");
  ASSERT_TRUE(suite) << describe(suite.error());
  const Result<Plan> plan = make_plan(*suite, {});
  ASSERT_TRUE(plan) << describe(plan.error());
  ASSERT_EQ(record.cases.size(), 28U);
  ASSERT_EQ(plan->cases.size(), record.cases.size());
  for (std::size_t i = 0; i < record.cases.size(); ++i) {
    EXPECT_EQ(record.cases[i].id, plan->cases[i].id);
    // How C++ is built, and TorchScript called from it, is said otherwise today.
    if (record.cases[i].language == "python" || record.cases[i].toolchain != "torch")
      EXPECT_EQ(record.cases[i].definition.digest, plan->cases[i].digest) << record.cases[i].id;
    EXPECT_EQ(record.cases[i].machine, 0U);
  }
  ASSERT_EQ(record.machines.size(), 1U);
  EXPECT_EQ(record.machines[0].cpus, 2);
}

TEST(Migration, ItComparesWithItselfInSchema2) {
  const Record base = stored();
  const std::string text = to_json(base);
  EXPECT_THAT(text, testing::StartsWith("{\n \"schema\": 2,"));
  const Result<Record> next = record_from_json(text, "schema_2.json");
  ASSERT_TRUE(next) << describe(next.error());
  const Comparison comparison = compare(base, *next, {}, {});
  EXPECT_EQ(comparison.count(Verdict::same), base.cases.size());
}

}  // namespace
}  // namespace tally
