/// Hosts are killed at random moments; every case gets its result all the same.
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
  int killed = 0;
  int ended = -1000;
  while ((ended = command.wait(Milliseconds(std::uniform_int_distribution(10, 120)(random)))) == -1000) {
    const std::vector<int> hosts = hosts_of(command.pid());
    if (hosts.empty()) continue;
    const std::size_t which = std::uniform_int_distribution<std::size_t>(0, hosts.size() - 1)(random);
    killed += kill(hosts[which], SIGKILL) == 0 ? 1 : 0;
  }
  EXPECT_TRUE(all_gone(mark_, Milliseconds(100)));
  EXPECT_EQ(ended, 0) << read("output").substr(0, 4000);
  EXPECT_GT(killed, 2);
  const nlohmann::json cases = record("r.json")["cases"];
  ASSERT_EQ(cases.size(), static_cast<std::size_t>(count));
  std::ptrdiff_t lost = 0;
  for (const auto& one : cases) {
    EXPECT_EQ(one["status"], "ok") << one.dump();
    lost += std::ssize(one["attempts"]) - 1;
  }
  RecordProperty("hosts_killed", killed);
  printf("%d hosts killed, %td attempts lost to it, %zu results\n", killed, lost, cases.size());
}

}  // namespace
}  // namespace tally::testing
