/// Starting a process: what it is given, what comes back, and that nothing outlives it.
#include <sched.h>

#include <csignal>
#include <functional>

#include "process/harness.h"

namespace tally::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Milliseconds kSoon{300};

class RunnerTest : public ProcessTest {};

TEST_F(RunnerTest, GivesTheProcessWhatWasRequestedAndNothingElse) {
  UniqueFd leaked(open("/dev/null", O_RDONLY));  // Without CLOEXEC, as a careless library does.
  std::signal(SIGPIPE, SIG_IGN);
  ProcessRequest asked = victim_request("tells_its_state", {"a b", "", "$HOME"});
  asked.environment.emplace_back("ODD", "x=y z");
  asked.working_folder = "/usr/share";
  asked.cpus = CpuSet({CpuIndex{sched_getcpu()}});
  asked.disable_aslr = true;
  asked.stdin_text = "hello";
  asked.pass_fds.push_back({7, UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC))});
  const int cpu = asked.cpus.cpus()[0].value;
  const ProcessResult result = run(runner_, std::move(asked));
  std::signal(SIGPIPE, SIG_DFL);
  ASSERT_TRUE(succeeded(result)) << describe(result.outcome);
  const std::string aslr = result.aslr_refused ? "on" : "off";
  EXPECT_EQ(result.out.text(), "arg " + victim("tells_its_state") + "\narg a b\narg \narg $HOME\n" +
                                   "env PATH=/usr/bin:/bin\nenv " + mark_ + "\nenv ODD=x=y z\nfolder /usr/share\ncpu " +
                                   std::to_string(cpu) + "\nfd 0\nfd 1\nfd 2\nfd 7\ncore 0\naslr " + aslr +
                                   "\nsession own\nstdin hello\n");
}

TEST_F(RunnerTest, DecodesHowItEnded) {
  EXPECT_EQ(std::get<Exited>(run(runner_, victim_request("exits_without_result")).outcome), Exited{0});
  const ProcessResult crashed = run(runner_, victim_request("segfaults"));
  EXPECT_EQ(std::get<Signaled>(crashed.outcome), Signaled{SIGSEGV});
  EXPECT_EQ(crashed.err.text(), "about to write where I may not\n");
  EXPECT_EQ(describe(crashed.outcome), "killed by SIGSEGV (segmentation fault)");
  EXPECT_EQ(std::get<Signaled>(run(runner_, victim_request("aborts")).outcome), Signaled{SIGABRT});
  ProcessRequest shell = request_for({"sh", "-c", "exit 7"});
  EXPECT_EQ(std::get<Exited>(run(runner_, std::move(shell)).outcome), Exited{7});
}

TEST_F(RunnerTest, SaysWhyNothingWasStarted) {
  ProcessRequest missing = request_for({"no-such-program"});
  EXPECT_EQ(describe(run(runner_, std::move(missing)).outcome),
            "there is no program 'no-such-program' in the PATH /usr/bin:/bin");
  ProcessRequest folder = victim_request("spins");
  folder.working_folder = "/no/such/folder";
  EXPECT_THAT(describe(run(runner_, std::move(folder)).outcome), HasSubstr("/no/such/folder: cannot enter"));
  ProcessRequest pinned = victim_request("spins");
  pinned.cpus = CpuSet({CpuIndex{4000}});
  EXPECT_THAT(describe(run(runner_, std::move(pinned)).outcome), HasSubstr("cannot pin to CPU 4000"));
  const std::string script = ::testing::TempDir() + "not_a_program";
  std::ofstream(script) << "#!/no/such/interpreter\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ProcessRequest refused = request_for({script});
  const ProcessResult result = run(runner_, std::move(refused));
  EXPECT_TRUE(std::holds_alternative<SpawnFailed>(result.outcome));
  EXPECT_THAT(describe(result.outcome), HasSubstr("cannot execute: No such file"));
}

TEST_F(RunnerTest, KeepsHeadAndTailOfAFlood) {
  ProcessRequest flood = victim_request("floods_stderr", {"1024"});
  flood.output_limit = 1000;
  const ProcessResult result = run(runner_, std::move(flood));
  ASSERT_TRUE(succeeded(result)) << describe(result.outcome);
  EXPECT_THAT(result.err.head, AllOf(StartsWith("begin\nxxx"), ::testing::SizeIs(500)));
  EXPECT_THAT(result.err.tail, AllOf(EndsWith("xxx\nend\n"), ::testing::SizeIs(500)));
  EXPECT_EQ(result.err.dropped, (1ULL << 30) + 10 - 1000);
}

TEST_F(RunnerTest, StopsWhatSpinsAtItsDeadline) {
  ProcessRequest late = victim_request("spins");
  late.deadline = kSoon;
  late.grace = {kPatience, kPatience};
  const ProcessResult result = run(runner_, std::move(late));
  EXPECT_EQ(describe(result.outcome), "timed out after 0.3 s");
  EXPECT_GE(result.wall, kSoon);
  EXPECT_LT(result.wall, kPatience) << "SIGINT is enough";
}

TEST_F(RunnerTest, EscalatesToSigkill) {
  ProcessRequest stubborn = victim_request("ignores_sigterm");
  stubborn.deadline = kSoon;
  stubborn.grace = {Milliseconds(100), Milliseconds(150)};
  const ProcessResult result = run(runner_, std::move(stubborn));
  EXPECT_TRUE(std::holds_alternative<TimedOut>(result.outcome));
  EXPECT_GE(result.wall, kSoon + Milliseconds(250));
  EXPECT_EQ(result.out.text(), "ready\n");
}

TEST_F(RunnerTest, CancelsAtOnce) {
  ProcessRequest stubborn = victim_request("ignores_sigterm");
  stubborn.grace = {kPatience, kPatience};
  const Result<ProcessId> id = runner_.start(std::move(stubborn));
  ASSERT_TRUE(id);
  runner_.cancel(*id);
  runner_.cancel(*id, CancelMode::at_once);
  const std::vector<Event> events = runner_.wait();
  ASSERT_EQ(events.size(), 1U);
  const auto& finished = std::get<Finished>(events[0]);
  EXPECT_EQ(finished.id, *id);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(finished.result.outcome));
  EXPECT_LT(finished.result.wall, kPatience);
}

/// Whether `holds` does before patience ends.
bool comes_true(const std::function<bool()>& holds) {
  const Clock::time_point end = Clock::now() + kPatience;
  while (!holds()) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(Milliseconds(10));
  }
  return true;
}

TEST_F(RunnerTest, SaysHowLongAProcessHasWaitedForItsProcessor) {
  const CpuSet shared({CpuIndex{sched_getcpu()}});
  std::vector<ProcessId> two;
  for (int i = 0; i < 2; ++i) {
    ProcessRequest spins = victim_request("spins");
    spins.cpus = shared;
    two.push_back(runner_.start(std::move(spins)).value());
  }
  for (const ProcessId id : two) {
    EXPECT_TRUE(comes_true([&] { return runner_.busy_time(id) >= kSoon && runner_.queued_time(id) >= kSoon; }));
    runner_.cancel(id, CancelMode::at_once);
  }
  for (std::size_t ended = 0; ended < two.size();) ended += runner_.wait().size();
  EXPECT_EQ(runner_.queued_time(two[0]), Milliseconds(0));
  const Result<ProcessId> sleeps = runner_.start(victim_request("closes_its_pipe"));
  EXPECT_TRUE(comes_true([&] {
    const Milliseconds before = runner_.queued_time(*sleeps);
    std::this_thread::sleep_for(kSoon);
    return runner_.queued_time(*sleeps) == before;
  })) << "once it sleeps, it waits for no processor";
  runner_.cancel(*sleeps, CancelMode::at_once);
  EXPECT_EQ(runner_.wait().size(), 1U);
}

TEST_F(RunnerTest, KillsChildrenThatWereLeft) {
  const ProcessResult result = run(runner_, victim_request("leaves_children", {"5"}));
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out.text(), "left\n");
  EXPECT_GE(result.leftovers, 5) << "and the grandchild, if it came to be";
  EXPECT_TRUE(all_gone(mark_));
}

TEST_F(RunnerTest, ReportsAChannelThatCloses) {
  ProcessRequest host = victim_request("closes_its_pipe");
  const int channel = pipe_to(host, 3);
  const Result<ProcessId> id = runner_.start(std::move(host));
  ASSERT_TRUE(id);
  const std::vector<Event> events = runner_.wait();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<FdClosed>(events[0]).fd, channel);
  EXPECT_TRUE(runner_.wait(Clock::now() + kSoon).empty()) << "it is no longer watched, and the host sleeps";
  runner_.cancel(*id, CancelMode::at_once);
  EXPECT_TRUE(std::holds_alternative<Finished>(runner_.wait().at(0)));
}

TEST_F(RunnerTest, ReportsWhatWasWrittenNoLaterThanTheEnd) {
  for (int i = 0; i < 20; ++i) {
    ProcessRequest writer = request_for({"sh", "-c", "echo last words >&3"});
    const int channel = pipe_to(writer, 3);
    ASSERT_TRUE(runner_.start(std::move(writer)));
    bool readable = false;
    for (bool ended = false; !ended;) {
      for (const Event& event : runner_.wait()) {
        if (std::holds_alternative<FdReadable>(event)) readable = true;
        ended |= std::holds_alternative<Finished>(event);
      }
    }
    EXPECT_TRUE(readable);
    runner_.unwatch(channel);
  }
}

TEST_F(RunnerTest, EndsAProcessThatGrewThreads) {
  ProcessRequest threads = victim_request("starts_threads_before_fork");
  threads.deadline = kSoon;
  threads.grace = {Milliseconds(0), Milliseconds(0)};
  EXPECT_TRUE(std::holds_alternative<TimedOut>(run(runner_, std::move(threads)).outcome));
  EXPECT_TRUE(all_gone(mark_));
}

TEST_F(RunnerTest, RunsManyAtOnceAndReportsThemByIdWithinOneAnswer) {
  std::vector<ProcessId> ids;
  for (int i = 0; i < 40; ++i) {
    const Result<ProcessId> id = runner_.start(victim_request("exits_without_result"));
    ASSERT_TRUE(id);
    ids.push_back(*id);
  }
  std::vector<ProcessId> seen;
  while (seen.size() < ids.size()) {
    const std::vector<Event> events = runner_.wait();
    ASSERT_FALSE(events.empty());
    ProcessId last{};
    for (const Event& event : events) {
      const ProcessId id = std::get<Finished>(event).id;
      EXPECT_LT(last, id);
      last = id;
      seen.push_back(id);
    }
  }
  EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(ids));
  EXPECT_TRUE(runner_.wait().empty()) << "nothing to wait for";
}

}  // namespace
}  // namespace tally::testing
