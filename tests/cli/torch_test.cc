#include "harness.h"

namespace tally::cli_test {
namespace {

/// Hosts that import torch under Valgrind take their time on a machine that has other things to do.
Record counted(std::vector<std::string> filters) {
  std::vector<std::string> arguments = {"run", "suites/torch_quick.toml", "--counts-only", "--host-timeout", "900"};
  for (std::string& filter : filters) arguments.insert(arguments.end(), {"--filter", std::move(filter)});
  Ran ran;
  Record record = record_of(arguments, ran);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  return record;
}

const CaseRecord* find(const Record& record, const std::string& label, const std::string& language,
                       const std::string& runtime) {
  const auto found = std::ranges::find_if(record.cases, [&](const CaseRecord& one) {
    return one.label.back() == label && one.language == language && one.runtime == runtime && one.counts;
  });
  EXPECT_NE(found, record.cases.end()) << label << " " << language << " " << runtime << " has no counts";
  return found == record.cases.end() ? nullptr : &*found;
}

/// Both languages, eager and TorchScript; and what a case counts does not depend on which others are counted.
TEST(Torch, ASliceOfTheQuickSuiteCountsTheSameAloneAndAmongOthers) {
  const Record slice = counted({"nn Modules/Linear*", "Pointwise/Math/add*"});
  EXPECT_EQ(slice.cases.size(), 6U);
  for (const CaseRecord& one : slice.cases) {
    EXPECT_EQ(one.status, CaseStatus::ok) << one.id;
    ASSERT_TRUE(one.counts) << one.id;
    EXPECT_GE(one.counts->replicates.size(), 2U) << one.id;
    EXPECT_EQ(one.counts->spread, 0) << one.id;
  }
  // The same operator is called either way: Python adds its own work, TorchScript its interpreter's.
  for (const char* label : {"Case:  0", "Linear"}) {
    const CaseRecord* cpp = find(slice, label, "cpp", "eager");
    const CaseRecord* python = find(slice, label, "python", "eager");
    ASSERT_TRUE(cpp && python);
    EXPECT_GT(cpp->counts->per_iteration, 2000) << "dispatch, and a kernel over 4 x 4 elements";
    EXPECT_GT(python->counts->per_iteration, cpp->counts->per_iteration + 500) << label;
    EXPECT_LT(python->counts->per_iteration, 3 * cpp->counts->per_iteration) << label;
  }
  const CaseRecord* scripted = find(slice, "Linear", "cpp", "torchscript");
  ASSERT_NE(scripted, nullptr);
  EXPECT_NE(scripted->counts->per_iteration, find(slice, "Linear", "cpp", "eager")->counts->per_iteration);

  const Record alone = counted({"Pointwise/Math/add*"});
  EXPECT_EQ(alone.cases.size(), 2U);
  for (const char* language : {"cpp", "python"}) {
    const CaseRecord* single = find(alone, "Case:  0", language, "eager");
    const CaseRecord* among = find(slice, "Case:  0", language, "eager");
    ASSERT_TRUE(single && among);
    EXPECT_EQ(single->counts->replicates, among->counts->replicates) << language;
    EXPECT_EQ(single->counts->baseline_replicates, among->counts->baseline_replicates) << language;
  }
}

}  // namespace
}  // namespace tally::cli_test
