#include "cpu/topology.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tally {
namespace {

CpuSet cpus(const char* list) { return parse_cpu_list(list).value(); }

/// "0 1 | 2" for ranges {0}, {1} and idle {2} …: "use/idle" of each.
std::string shown(const std::vector<CpuRange>& ranges) {
  std::string text;
  for (const CpuRange& range : ranges) {
    if (!text.empty()) text += ' ';
    text += to_string(range.use) + (range.idle.empty() ? "" : "/" + to_string(range.idle));
  }
  return text;
}

TEST(CpuTopology, RangesAreContiguousAmongTheAllowed) {
  const CpuTopology topology{cpus("0,2-4"), {cpus("0"), cpus("2"), cpus("3"), cpus("4")}};
  EXPECT_EQ(shown(possible_ranges(topology, {.count = 1})), "0 2 3 4");
  EXPECT_EQ(shown(possible_ranges(topology, {.count = 2})), "0,2 2-3 3-4");
  EXPECT_EQ(shown(possible_ranges(topology, {.count = 4, .whole_cores = true})), "0,2-4");
  EXPECT_EQ(shown(possible_ranges(topology, {.count = 5})), "");
}

TEST(CpuTopology, WholeCoresKeepHyperThreadsFreeHoweverNumbered) {
  const CpuTopology adjacent{cpus("0-5"), {cpus("0-1"), cpus("2-3"), cpus("4-5")}};
  EXPECT_EQ(shown(possible_ranges(adjacent, {.count = 1, .whole_cores = true})), "0/1 2/3 4/5");
  EXPECT_EQ(shown(possible_ranges(adjacent, {.count = 2, .whole_cores = true})), "0,2/1,3 2,4/3,5");
  EXPECT_EQ(shown(possible_ranges(adjacent, {.count = 5, .whole_cores = true})), "0-4/5 1-5/0");
  EXPECT_EQ(shown(possible_ranges(adjacent, {.count = 2})), "0-1 1-2 2-3 3-4 4-5");
  const CpuTopology halves{cpus("0-3"), {cpus("0,2"), cpus("1,3")}};
  EXPECT_EQ(shown(possible_ranges(halves, {.count = 2, .whole_cores = true})), "0-1/2-3");
}

TEST(CpuTopology, ASiblingOutsideOfTheCpusetIsStillHeld) {
  const CpuTopology topology{cpus("1"), {cpus("0-1")}};
  EXPECT_EQ(shown(possible_ranges(topology, {.count = 1, .whole_cores = true})), "1/0");
}

TEST(CpuTopology, IsReadFromTheMachine) {
  const Result<CpuTopology> all = read_topology();
  ASSERT_TRUE(all) << describe(all.error());
  ASSERT_FALSE(all->allowed.empty());
  const CpuSet first({all->allowed.cpus().front()});
  EXPECT_EQ(read_topology(first)->allowed, first);
  EXPECT_EQ(read_topology(cpus("60000")).error().message, "this process may not use CPU 60000");
}

TEST(CpuTopology, SiblingsComeFromSysfsWhenItCanBeRead) {
  const CpuSet first({read_topology()->allowed.cpus().front()});
  const std::string sysfs = testing::TempDir() + "tally_sysfs";
  const std::string folder = sysfs + "/cpu" + to_string(first) + "/topology";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/core_cpus_list") << to_string(first) << ",4000\n";
  EXPECT_EQ(read_topology(first, sysfs)->cores.at(0), CpuSet({first.cpus()[0], CpuIndex{4000}}));
  EXPECT_TRUE(read_topology(first, sysfs)->siblings_known);
  const Result<CpuTopology> blind = read_topology(first, sysfs + "/none");
  EXPECT_EQ(blind->cores.at(0), first);
  EXPECT_FALSE(blind->siblings_known);
}

}  // namespace
}  // namespace tally
