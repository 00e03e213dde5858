/// Hosts that have served other plans, held against fresh ones: a count must not depend on what its host did before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "definition/read_suite.h"
#include "hosts/environment.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "run/rounds.h"
#include "run/run.h"

extern char** environ;

namespace tally {
namespace {

using testing::PrintToString;
using testing::SizeIs;

constexpr const char* kSuite = R"(schema = 1
[[benchmark]]
label = ["sort"]
cpp = 'std::vector<int> w = v; std::sort(w.begin(), w.end()); tally::keep(w);'
py = 'sorted(v)'
setup = { cpp = 'std::vector<int> v(200); for (int i = 0; i < 200; ++i) v[i] = i * 7919 % 200;', py = 'v = [i * 7919 % 200 for i in range(200)]' }
[[benchmark]]
label = ["map"]
cpp = 'std::map<int, std::string> m; for (int i = 0; i < 20; ++i) m[i] = std::to_string(i); tally::keep(m);'
py = '{str(i): [i] for i in range(20)}'
[[benchmark]]
label = ["leaves things behind"]
cpp = 'tally::keep(new int[10]);'
py = 'kept.append([0] * 10)'
setup = { py = 'kept = []' }
)";

/// Counts hosts as they start.
class Witness final : public RunObserver {
 public:
  void on_process(const std::string& what, const std::vector<std::string>&) override {
    if (what.contains(" host of ")) hosts.push_back(what);
  }
  void on_message(const std::string& text) override { messages.push_back(text); }
  std::vector<std::string> hosts;
  std::vector<std::string> messages;
};

class WarmHostsTest : public ::testing::Test {
 protected:
  WarmHostsTest() : plan_(make_plan(parse_suite(kSuite, "suite.toml", {}).value(), {}).value()) {}

  std::unique_ptr<Workspace> open() {
    Surroundings around{.libexec = TALLY_BUILD_DIR "/libexec/tallymark", .tool = {}};
    return Workspace::open(runner_, std::move(around), "").value();
  }

  std::map<std::string, std::vector<std::uint64_t>> counts(Workspace& workspace) {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
    const RunRequest request{.plan = &plan_,
                             .caller = {parse_environment(entries), "/tmp", {}},
                             .settings = {.wall = false},
                             .tools = {},
                             .suite = ""};
    const auto result = measure(workspace, request, witness_);
    EXPECT_TRUE(result) << describe(result.error());
    std::map<std::string, std::vector<std::uint64_t>> counts;
    for (const CaseRecord& one : result->record.cases) {
      EXPECT_EQ(one.status, CaseStatus::ok) << one.id << (one.failure ? one.failure->message : "");
      if (!one.counts) continue;
      counts[one.id] = one.counts->replicates;
      counts[one.id].push_back(static_cast<std::uint64_t>(one.counts->baseline));
    }
    return counts;
  }

  Interrupts interrupts_ = Interrupts::install().value();
  RealProcessRunner runner_{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor", &interrupts_};
  Plan plan_;
  Witness witness_;
};

TEST_F(WarmHostsTest, CountWhatFreshOnesCount) {
  const auto warm = open();
  warm->keep_hosts_warm();
  const auto first = counts(*warm);
  ASSERT_EQ(first.size(), 6U);
  EXPECT_THAT(witness_.hosts, SizeIs(2)) << PrintToString(witness_.messages);
  const auto second = counts(*warm);
  const auto third = counts(*warm);
  EXPECT_THAT(witness_.hosts, SizeIs(2)) << "a host was started again";
  const auto fresh = counts(*open());
  EXPECT_THAT(witness_.hosts, SizeIs(4)) << PrintToString(witness_.messages);
  EXPECT_EQ(first, fresh);
  EXPECT_EQ(second, fresh);
  EXPECT_EQ(third, fresh);
}

}  // namespace
}  // namespace tally
