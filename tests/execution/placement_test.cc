/// Two runs at once: never are times taken on one CPU by both, and counting waits for nobody.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "cpu/lease.h"
#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
  void wait_for_text(const std::string& name, const std::string& text) const {
    for (const auto end = Clock::now() + kPatience; Clock::now() < end; std::this_thread::sleep_for(Milliseconds(5))) {
      if (std::filesystem::exists(path(name)) && read(name).contains(text)) return;
    }
    ADD_FAILURE() << "never said: " << text;
  }
};

TEST_F(PlacementTest, TwoRunsNeverTakeTimesOnTheSameCpu) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  suite(8);
  Command first = start({"--json", "first.json", "--wall-only"});
  Command second = start({"--json", "second.json", "--wall-only"});
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
  EXPECT_EQ(attempts, 16U);
  for (auto& [cpu, intervals] : held) {
    std::ranges::sort(intervals, {}, &Interval::from);
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      EXPECT_LE(intervals[i - 1].to, intervals[i].from + 1e-3) << "on CPU " << cpu;
    }
  }
}

TEST_F(PlacementTest, CountingDoesNotWaitForTimesThatAnotherTakes) {
  CpuTopology topology = read_topology().value();
  const int all = static_cast<int>(topology.allowed.size());
  CpuLeases leases = CpuLeases::open(std::move(topology), path("cpu-locks")).value();
  std::optional<CpuLease> every = leases.try_lease({.count = all}).value();
  ASSERT_TRUE(every) << "nobody else leases there";
  suite(2);
  EXPECT_EQ(run({"--json", "r.json", "--counts-only"}), 0) << read("output");
  EXPECT_THAT(read("output"), Not(HasSubstr("waiting for CPUs")));
  Command timing = start({"--json", "t.json", "--wall-only", "--quiet"});
  // With -q too, standard error says for whom it waits.
  wait_for_text("output", "tally: waiting for CPUs to take times on: process " + std::to_string(getpid()) + " (");
  every.reset();
  EXPECT_EQ(timing.wait(), 0);
}

TEST_F(PlacementTest, TimesWaitNoLongerThanTheyMay) {
  CpuTopology topology = read_topology().value();
  const int all = static_cast<int>(topology.allowed.size());
  CpuLeases leases = CpuLeases::open(std::move(topology), path("cpu-locks")).value();
  const std::optional<CpuLease> every = leases.try_lease({.count = all}).value();
  ASSERT_TRUE(every);
  suite(2);
  EXPECT_EQ(run({"--json", "r.json", "--quiet", "--max-wait", "100ms"}), 1);
  EXPECT_THAT(read("output"),
              HasSubstr("tally: error: times have waited for CPUs for 0.1 s, which is the most: process " +
                        std::to_string(getpid()) + " ("));
  EXPECT_THAT(read("output"), HasSubstr("let them wait longer (--max-wait)"));
  EXPECT_EQ(record("r.json")["cases"].size(), 2U) << "what was measured by then is kept";
}

/// OpenMP of the C++ library's own kind (libgomp), as PyTorch uses it. The last lines are of what was measured.
constexpr const char* kTeam = R"toml(
schema = 1
[toolchain.openmp]
cxx = ["g++", "c++"]
flags = ["-O2", "-std=c++20", "-fopenmp"]
link = ["-lgomp"]
prelude = ["omp.h", "sched.h", "fstream"]
set_threads = { cpp = "omp_set_num_threads(${threads});" }
[[benchmark]]
label = "team"
threads = [2]
setup = { cpp = 'std::ofstream file("threads.txt"); int cpus[2] = {}; int first[2] = {};' }
cpp = """
#pragma omp parallel
{
  cpu_set_t own;
  sched_getaffinity(0, sizeof own, &own);
  cpus[omp_get_thread_num()] = CPU_COUNT(&own);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &own)) ++cpu;
  first[omp_get_thread_num()] = cpu;
}
file << cpus[0] << ' ' << cpus[1] << ' ' << (first[0] != first[1]) << std::endl;
"""
)toml";

TEST_F(PlacementTest, EachThreadOfATeamIsTimedOnACpuOfItsOwn) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "one CPU is not enough for two threads";
  write("suite.toml", kTeam);
  const auto last_line = [&] {
    const std::string text = read("threads.txt");
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 0) << read("output");
  EXPECT_EQ(last_line(), "1 1 1\n");
  const nlohmann::json one = record("r.json")["cases"][0];
  EXPECT_EQ(one["attempts"][0]["cpus"].size(), 2U);
  EXPECT_EQ(run({"--json", "r.json", "--counts-only"}), 0) << read("output");
  EXPECT_EQ(last_line().substr(0, 1), last_line().substr(2, 1)) << "counts bind nobody: " << last_line();
  EXPECT_THAT(last_line(), Not(::testing::EndsWith("1\n")));
}

/// Processes that use up a CPU each, for as long as this lives.
class Load {
 public:
  explicit Load(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        for (volatile bool on = true; on;) {
        }
      }
      if (child > 0) children_.push_back(child);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const pid_t child : children_) ::kill(child, SIGKILL);
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
  }

 private:
  std::vector<pid_t> children_;
};

/// A thread that spins while another process has its CPU uses no time, and does not sleep either: taken for an idle
/// one, it is forked away, and the region waits for it for ever.
TEST_F(PlacementTest, ATeamIsKnownBesideOtherLoad) {
  write("suite.toml", kTeam);
  const Load load(4);
  EXPECT_EQ(run({"--wall-only", "--timeout", "20"}), 0) << read("output");
}

TEST_F(PlacementTest, MoreThreadsThanCpusIsReported) {
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
  EXPECT_THAT(read("output"), HasSubstr(" --vgdb=no")) << "-v shows commands";
}

}  // namespace
}  // namespace tally::testing
