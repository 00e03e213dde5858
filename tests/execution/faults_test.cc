/// Hosts are killed while they serve; every case gets its result all the same, and its record says what it took.
#include <algorithm>
#include <csignal>
#include <random>

#include "execution/command.h"
#include "process/process_tree.h"

namespace tally::testing {
namespace {

/// Not a compiler: what makes a case has one chance.
bool is_host(int pid) {
  std::ostringstream command;
  command << std::ifstream("/proc/" + std::to_string(pid) + "/cmdline").rdbuf();
  return command.str().contains("tally-host-cpp") || command.str().contains("_tally_host");
}

/// The hosts below a tally: children of its supervisors.
std::vector<int> hosts_of(int tally) {
  std::vector<int> hosts;
  const std::vector<TreeProcess> below = descendants(tally);
  for (const TreeProcess& process : below) {
    const bool supervised = std::ranges::any_of(
        below, [&](const auto& other) { return other.pid == process.parent && other.parent == tally; });
    if (supervised && is_host(process.pid)) hosts.push_back(process.pid);
  }
  return hosts;
}

/// Hosts that have a case's process at work: to kill one costs the case an attempt.
std::vector<int> serving(int tally) {
  std::vector<int> hosts = hosts_of(tally);
  std::erase_if(hosts, [](int host) { return descendants(host).empty(); });
  return hosts;
}

class FaultsTest : public CommandTest {};

TEST_F(FaultsTest, EveryCaseHasAResultWhenHostsAreKilled) {
  const int count = size_from_environment("TALLY_FAULT_CASES", 60);
  std::string suite = "schema = 1\ntoolchain = \"cpp\"\n";
  for (int i = 0; i < count / 2; ++i) {
    suite += "[[benchmark]]\nlabel = [\"" + std::to_string(i) + "\"]\npy = 'x = 1'\ncpp = 'tally::keep(1);'\n";
  }
  write("suite.toml", suite);
  Command command = start({"--json", "r.json", "--wall-only", "--retries", "50"});
  std::mt19937 random(4);
  const int most = size_from_environment("TALLY_FAULT_KILLS", 10);
  int killed = 0;
  std::size_t reached = 0;  // A result must come between two kills.
  int ended = -1000;
  while ((ended = command.wait(Milliseconds(5))) == -1000) {
    const std::size_t lines = lines_in("r.json.journal");
    const std::vector<int> hosts = killed < most && lines > reached ? serving(command.pid()) : std::vector<int>{};
    if (hosts.empty()) continue;
    const std::size_t which = std::uniform_int_distribution<std::size_t>(0, hosts.size() - 1)(random);
    killed += kill(hosts[which], SIGKILL) == 0 ? 1 : 0;
    reached = lines + 1;
  }
  EXPECT_TRUE(all_gone(mark_, kPatience));
  EXPECT_EQ(ended, 0) << read("output").substr(0, 4000);
  EXPECT_GT(killed, 2);
  const nlohmann::json cases = record("r.json")["cases"];
  ASSERT_EQ(cases.size(), static_cast<std::size_t>(count));
  int lost = 0;
  for (const auto& one : cases) {
    EXPECT_EQ(one["status"], "ok") << one.dump();
    const nlohmann::json& attempts = one["attempts"];
    EXPECT_EQ(attempts.back()["outcome"], "ok") << one.dump();
    for (std::size_t i = 0; i + 1 < attempts.size(); ++i) {
      EXPECT_EQ(attempts[i]["outcome"], "failed") << one.dump();
      ++lost;
    }
  }
  // A host serves at most a case for each CPU. One whose case ended before the signal came costs nothing.
  EXPECT_GE(lost, 1);
  EXPECT_LE(lost, killed * static_cast<int>(std::thread::hardware_concurrency()));
}

/// A case's process has a session of nobody's: only the kernel ends it with its host.
TEST_F(FaultsTest, ASupervisorThatIsKilledLeavesNoCaseBehind) {
  write("suite.toml",
        "schema = 1\ntoolchain = \"python\"\n[[benchmark]]\nlabel = [\"1\"]\n"
        "setup.py = \"import os, time; open('begun', 'a').write(f'{os.getpid()}\\\\n'); time.sleep(600)\"\n"
        "py = 'x = 1'\n");
  Command command = start({"--json", "r.json", "--wall-only", "--retries", "0"});
  wait_for_lines("begun", 1);
  const std::vector<int> hosts = serving(command.pid());
  ASSERT_EQ(hosts.size(), 1U);
  for (const TreeProcess& process : descendants(command.pid())) {
    const auto below = descendants(process.pid);
    if (std::ranges::any_of(below, [&](const auto& one) { return one.pid == hosts.front(); }))
      kill(process.pid, SIGKILL);
  }
  EXPECT_EQ(command.wait(), 1) << read("output");
  EXPECT_TRUE(all_gone(mark_, kPatience));
}

}  // namespace
}  // namespace tally::testing
