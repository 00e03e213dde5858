#include "process/cpu_set.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(CpuSet, ReadsAndWritesTheListForm) {
  const Result<CpuSet> cpus = parse_cpu_list(" 7,0-3, 2\n");
  ASSERT_TRUE(cpus);
  EXPECT_EQ(to_string(*cpus), "0-3,7");
  EXPECT_EQ(cpus->size(), 5U);
  EXPECT_TRUE(cpus->contains(CpuIndex{7}));
  EXPECT_FALSE(cpus->contains(CpuIndex{4}));
  EXPECT_EQ(to_string(intersect(*cpus, CpuSet({{3}, {4}, {7}}))), "3,7");
  EXPECT_EQ(to_string(CpuSet()), "");
}

TEST(CpuSet, RefusesWhatIsNotAList) {
  for (const char* text : {"", "a", "1-", "-1", "3-1", "1,,2", "1;2", "65536", "0-99999999999", "0x1"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
  EXPECT_EQ(describe(parse_cpu_list("0,3-x").error()),
            "'3-x' is not a CPU or a range of CPUs; write a list such as 0-3,7");
}

}  // namespace
}  // namespace tally
