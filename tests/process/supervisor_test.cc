/// What tally-supervisor is for: nothing of a tree lives on, whatever it did and whoever died first.
#include <csignal>
#include <random>

#include "process/harness.h"

namespace tally::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string read_some(int fd) {
  char text[256];
  const ssize_t got = read(fd, text, sizeof text);
  return std::string(text, got > 0 ? static_cast<std::size_t>(got) : 0);
}

class SupervisorTest : public ProcessTest {
 protected:
  /// Waits until the process wrote to the pipe, and returns what.
  std::string first_words(int fd) {
    for (const Event& event : runner_.wait(Clock::now() + Milliseconds(5000))) {
      if (std::holds_alternative<FdReadable>(event)) return read_some(fd);
    }
    return "nothing within 5 s";
  }
  ProcessResult last_result() {
    for (;;) {
      for (Event& event : runner_.wait(Clock::now() + Milliseconds(5000))) {
        if (auto* finished = std::get_if<Finished>(&event)) return std::move(finished->result);
      }
    }
  }
};

TEST_F(SupervisorTest, KillsADaemonThatEscapedToItsOwnSession) {
  const ProcessResult result = run(runner_, victim_request("leaves_a_daemon"));
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.leftovers, 1);
  EXPECT_THAT(survivors(mark_), IsEmpty()) << "already when its end is reported";
}

TEST_F(SupervisorTest, CancelReachesADaemon) {
  ProcessRequest request = victim_request("leaves_a_daemon", {"stay"});
  request.grace = {Milliseconds(100), Milliseconds(100)};
  const int out = pipe_to(request, 1);
  const Result<ProcessId> id = runner_.start(std::move(request));
  ASSERT_TRUE(id);
  EXPECT_THAT(first_words(out), HasSubstr("\n"));
  EXPECT_THAT(survivors(mark_), SizeIs(3)) << "supervisor, victim, daemon";
  runner_.cancel(*id);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(last_result().outcome));
  EXPECT_THAT(survivors(mark_), IsEmpty());
}

TEST_F(SupervisorTest, SweepKillsOrphansAndLeavesTheRest) {
  ProcessRequest request = victim_request("leaves_a_daemon", {"stay"});
  const int out = pipe_to(request, 1);
  const Result<ProcessId> id = runner_.start(std::move(request));
  ASSERT_TRUE(id);
  const int daemon = std::stoi(first_words(out));
  runner_.sweep(*id);
  for (int i = 0; i < 200 && survivors(mark_).size() > 2; ++i) std::this_thread::sleep_for(Milliseconds(10));
  EXPECT_THAT(survivors(mark_), ::testing::AllOf(SizeIs(2), ::testing::Not(::testing::Contains(daemon))));
  runner_.cancel(*id, CancelMode::at_once);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(last_result().outcome));
}

TEST_F(SupervisorTest, EndsATreeThatKeepsForking) {
  ProcessRequest request = victim_request("keeps_forking");
  request.deadline = Milliseconds(200);
  request.grace = {Milliseconds(0), Milliseconds(0)};
  const ProcessResult result = run(runner_, std::move(request));
  EXPECT_TRUE(std::holds_alternative<TimedOut>(result.outcome));
  EXPECT_LT(result.wall, std::chrono::seconds(2));
  EXPECT_THAT(survivors(mark_), IsEmpty());
}

TEST_F(SupervisorTest, ItsOwnDeathIsReportedAndEndsTheCommand) {
  ProcessRequest request = victim_request("ignores_sigterm");
  const int out = pipe_to(request, 1);
  const Result<ProcessId> id = runner_.start(std::move(request));
  ASSERT_TRUE(id);
  ASSERT_EQ(first_words(out), "ready\n");
  ASSERT_EQ(kill(*runner_.pid_of(*id), SIGKILL), 0);
  EXPECT_THAT(describe(last_result().outcome), HasSubstr("tally-supervisor itself killed by SIGKILL"));
  EXPECT_TRUE(all_gone(mark_, Milliseconds(500)));
}

TEST_F(SupervisorTest, NothingOutlivesATallyThatWasKilled) {
  std::mt19937 random(20251121);  // Moments from before the first start to well after the last.
  for (int round = 0; round < 20; ++round) {
    ProcessRequest request = victim_request("");
    request.argv = {TALLY_BUILD_DIR "/tests/process_driver", supervisor_path(), victim("")};
    request.supervised = false;
    const Result<ProcessId> id = runner_.start(std::move(request));
    ASSERT_TRUE(id);
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(500, 20'000)(random)));
    ASSERT_EQ(kill(*runner_.pid_of(*id), SIGKILL), 0);
    EXPECT_EQ(std::get<Signaled>(last_result().outcome), Signaled{SIGKILL});
    ASSERT_TRUE(all_gone(mark_, Milliseconds(2000))) << "round " << round;
  }
}

TEST_F(SupervisorTest, InterruptsAreCountedAndCancel) {
  for (const int times : {1, 2}) {
    ProcessRequest request = victim_request("");
    request.argv = {TALLY_BUILD_DIR "/tests/process_driver", supervisor_path(), victim("")};
    request.supervised = false;
    const int out = pipe_to(request, 1);
    const Result<ProcessId> id = runner_.start(std::move(request));
    ASSERT_TRUE(id);
    ASSERT_EQ(first_words(out), "ready\n");
    std::this_thread::sleep_for(Milliseconds(50));  // Until the victims ignore what they ignore.
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) kill(*runner_.pid_of(*id), i == 0 ? SIGINT : SIGTERM);
    EXPECT_TRUE(succeeded(last_result()));
    const auto took = Clock::now() - start;
    if (times == 1) EXPECT_GE(took, Milliseconds(600)) << "both graces";
    if (times == 2) EXPECT_LT(took, Milliseconds(500)) << "no grace";
    EXPECT_THAT(read_some(out), HasSubstr("cancelled\ncancelled\ncancelled\ncancelled\n"));
    EXPECT_THAT(survivors(mark_), IsEmpty());
    runner_.unwatch(out);
  }
}

}  // namespace
}  // namespace tally::testing
