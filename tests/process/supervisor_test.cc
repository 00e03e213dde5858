/// What tally-supervisor is for: nothing of a tree lives on, whatever it did and whoever died first.
#include <sys/wait.h>

#include <csignal>
#include <random>

#include "process/harness.h"
#include "process/spawn.h"

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
    for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
      for (const Event& event : runner_.wait(end)) {
        if (std::holds_alternative<FdReadable>(event)) return read_some(fd);
      }
    }
    return "nothing in time";
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
  for (const auto end = Clock::now() + kPatience; Clock::now() < end && survivors(mark_).size() > 2;)
    std::this_thread::sleep_for(Milliseconds(10));
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
  EXPECT_LT(result.wall, kPatience);
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
  EXPECT_TRUE(all_gone(mark_, kPatience));
}

/// The driver, a tally in small, started by us alone: under a supervisor nothing of it could outlive it anyway.
class DriverTest : public SupervisorTest {
 protected:
  int start_driver(const std::string& scratch = {}, Milliseconds grace = Milliseconds(300),
                   Milliseconds orphaned = Milliseconds(0)) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    out_.reset(ends[0]);
    const UniqueFd theirs(ends[1]);
    const std::string path = TALLY_BUILD_DIR "/tests/process_driver";
    const Result<Spawned> driver = spawn({.path = path,
                                          .argv = {path, supervisor_path(), victim(""), scratch,
                                                   std::to_string(grace.count()), std::to_string(orphaned.count())},
                                          .environment = {mark_},
                                          .fds = {{1, theirs.get()}, {2, STDERR_FILENO}}});
    EXPECT_TRUE(driver);
    return driver ? driver->pid : -1;
  }
  static WaitStatus end_of(int driver) {
    int status = 0;
    EXPECT_EQ(waitpid(driver, &status, 0), driver);
    return decode_wait_status(status);
  }
  UniqueFd out_;
};

TEST_F(DriverTest, NothingOutlivesATallyThatWasKilled) {
  std::mt19937 random(20251121);  // Moments from before the first start to well after the last.
  for (int round = 0; round < 20; ++round) {
    const int driver = start_driver();
    ASSERT_GT(driver, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(500, 20'000)(random)));
    ASSERT_EQ(kill(driver, SIGKILL), 0);
    EXPECT_EQ(end_of(driver), WaitStatus(Signaled{SIGKILL}));
    ASSERT_TRUE(all_gone(mark_, kPatience)) << "round " << round;
  }
}

TEST_F(DriverTest, WhatMayEndByItselfHasItsGraceAfterItsTallyWasKilled) {
  const int driver = start_driver({}, Milliseconds(300), Milliseconds(1000));
  ASSERT_GT(driver, 0);
  ASSERT_EQ(read_some(out_.get()), "ready\n");
  ASSERT_EQ(kill(driver, SIGKILL), 0);
  end_of(driver);
  EXPECT_FALSE(all_gone(mark_, Milliseconds(200)));
  EXPECT_TRUE(all_gone(mark_, kPatience));
}

TEST_F(DriverTest, ItsScratchFolderGoesWhenItIsKilledAndOnlyThen) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / ("scratch_" + std::to_string(getpid()));
  const fs::path scratch = folder / "scratch";
  for (const int signal : {SIGTERM, SIGKILL}) {
    fs::create_directories(scratch / "0001" / "deep");
    std::ofstream(scratch / "0001" / "deep" / "dump") << "x";
    fs::create_directories(folder / "mine");
    std::ofstream(folder / "mine" / "kept") << "x";
    if (signal == SIGTERM) {
      fs::create_directory_symlink(folder / "mine", scratch / "0001" / "a link");
      fs::create_symlink(folder / "mine" / "kept", scratch / "another");
    }
    const int driver = start_driver(scratch);
    ASSERT_GT(driver, 0);
    ASSERT_EQ(read_some(out_.get()), "ready\n");
    kill(driver, signal);
    if (signal == SIGTERM) kill(driver, signal);
    end_of(driver);
    ASSERT_TRUE(all_gone(mark_, kPatience));
    EXPECT_EQ(fs::exists(scratch), signal == SIGTERM);
    EXPECT_TRUE(fs::exists(folder / "mine" / "kept")) << "links are not followed";
  }
  fs::remove_all(folder);
}

/// As GNU timeout does it: to the command, and to its group.
TEST_F(DriverTest, ASignalThatComesTwiceAtOnceAsksOnce) {
  const int driver = start_driver({}, Milliseconds(300));
  ASSERT_GT(driver, 0);
  ASSERT_EQ(read_some(out_.get()), "ready\n");
  std::this_thread::sleep_for(Milliseconds(50));  // Until the victims ignore what they ignore.
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 2; ++i) {
    kill(driver, SIGINT);
    std::this_thread::sleep_for(Milliseconds(5));
  }
  EXPECT_EQ(end_of(driver), WaitStatus(Exited{0}));
  EXPECT_GE(Clock::now() - start, Milliseconds(600)) << "both graces";
  EXPECT_THAT(survivors(mark_), IsEmpty());
}

TEST_F(DriverTest, InterruptsAreCountedAndCancel) {
  for (const int times : {1, 2}) {
    const Milliseconds grace = times == 1 ? Milliseconds(300) : kPatience;
    const int driver = start_driver({}, grace);
    ASSERT_GT(driver, 0);
    ASSERT_EQ(read_some(out_.get()), "ready\n");
    std::this_thread::sleep_for(Milliseconds(50));  // Until the victims ignore what they ignore.
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) kill(driver, i == 0 ? SIGINT : SIGTERM);
    EXPECT_EQ(end_of(driver), WaitStatus(Exited{0}));
    const auto took = Clock::now() - start;
    if (times == 1) EXPECT_GE(took, 2 * grace) << "both graces";
    if (times == 2) EXPECT_LT(took, grace) << "no grace";
    // All four victims; a second interruption may be passed on between them.
    const std::string said = read_some(out_.get());
    std::size_t cancelled = 0;
    for (std::size_t at = 0; (at = said.find("cancelled\n", at)) != std::string::npos; ++at) ++cancelled;
    EXPECT_EQ(cancelled, 4U) << said;
    EXPECT_THAT(survivors(mark_), IsEmpty());
  }
}

}  // namespace
}  // namespace tally::testing
