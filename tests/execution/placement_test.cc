/// Two runs at once, on the same CPUs, never on one of them at the same time.
#include <sched.h>

#include <algorithm>
#include <map>

#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::HasSubstr;

struct Interval {
  double from = 0;
  double to = 0;
};

class PlacementTest : public CommandTest {
 protected:
  void suite(int count) const {
    std::string text = "schema = 1\ntoolchain = \"python\"\n";
    for (int i = 0; i < count; ++i) text += "[[benchmark]]\nlabel = [\"" + std::to_string(i) + "\"]\npy = 'x = 1'\n";
    write("suite.toml", text);
  }
};

TEST_F(PlacementTest, TwoRunsNeverHoldTheSameCpu) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  suite(8);
  Command first = start({"--json", "first.json"});
  Command second = start({"--json", "second.json"});
  ASSERT_EQ(first.wait(), 0);
  ASSERT_EQ(second.wait(), 0);
  std::map<int, std::vector<Interval>> held;
  std::size_t attempts = 0;
  for (const char* name : {"first.json", "second.json"}) {
    const nlohmann::json all = record(name);
    for (const auto& one : all["cases"]) {
      for (const auto& attempt : one["attempts"]) {
        const double from = attempt["started_s"];
        for (const int cpu : attempt["cpus"]) {
          EXPECT_TRUE(CPU_ISSET(cpu, &allowed));
          held[cpu].push_back({from, from + attempt["seconds"].get<double>()});
        }
        ++attempts;
      }
    }
  }
  EXPECT_EQ(attempts, 32U);
  for (auto& [cpu, intervals] : held) {
    std::ranges::sort(intervals, {}, &Interval::from);
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      EXPECT_LE(intervals[i - 1].to, intervals[i].from + 1e-3) << "on CPU " << cpu;
    }
  }
}

TEST_F(PlacementTest, MoreThreadsThanCpusIsSaid) {
  write("suite.toml",
        "schema = 1\ntoolchain = \"python\"\n[[benchmark]]\nlabel = [\"t\"]\npy = 'x = 1'\nthreads = [2]\n");
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  EXPECT_EQ(run({"--json", "r.json", "--cores", std::to_string(cpu), "-v"}), 0) << read("output");
  const nlohmann::json one = record("r.json")["cases"][0];
  EXPECT_THAT(one["warnings"].dump(), HasSubstr("has 2 threads and only 1 CPU may be used"));
  for (const auto& attempt : one["attempts"]) EXPECT_EQ(attempt["cpus"], nlohmann::json::array({cpu}));
  EXPECT_THAT(read("output"), HasSubstr("--tool=callgrind")) << "-v shows commands";
}

}  // namespace
}  // namespace tally::testing
