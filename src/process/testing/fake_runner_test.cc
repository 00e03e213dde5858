#include "process/testing/fake_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace tally {
namespace {

ScriptedProcess takes(Milliseconds time, int code) {
  ScriptedProcess script;
  script.result.outcome = Exited{code};
  script.takes = time;
  return script;
}

ProcessRequest named(const char* name) {
  ProcessRequest request;
  request.argv = {name};
  return request;
}

TEST(FakeRunner, EndsProcessesInTheOrderOfTheirTime) {
  FakeProcessRunner runner;
  runner.script(takes(Milliseconds(200), 1));
  runner.script(takes(Milliseconds(100), 2));
  const ProcessId slow = runner.start(named("slow")).value();
  const ProcessId fast = runner.start(named("fast")).value();
  EXPECT_EQ(std::get<Finished>(runner.wait().at(0)).id, fast);
  EXPECT_FALSE(runner.pid_of(fast));
  EXPECT_TRUE(runner.wait(runner.now() + Milliseconds(50)).empty());
  EXPECT_EQ(std::get<Finished>(runner.wait().at(0)).id, slow);
  EXPECT_EQ(runner.now().time_since_epoch(), Milliseconds(200));
  EXPECT_TRUE(runner.wait().empty());
  EXPECT_EQ(runner.started.at(1).argv.at(0), "fast");
}

TEST(FakeRunner, KeepsDeadlinesAndCancels) {
  FakeProcessRunner runner;
  runner.script(takes(Milliseconds(200), 0));
  ProcessRequest late = named("late");
  late.deadline = Milliseconds(150);
  EXPECT_EQ(describe(run(runner, std::move(late)).outcome), "timed out after 0.15 s");
  runner.script(takes(Milliseconds(200), 0));
  const ProcessId id = runner.start(named("cancelled")).value();
  runner.cancel(id);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(std::get<Finished>(runner.wait().at(0)).result.outcome));
  EXPECT_FALSE(runner.start(named("unscripted")));
}

TEST(FakeRunner, RunPutsTheEventsOfOthersBack) {
  FakeProcessRunner runner;
  runner.script(takes(Milliseconds(10), 0));
  runner.script(takes(Milliseconds(20), 3));
  const ProcessId other = runner.start(named("other")).value();
  runner.inject(FdReadable{5}, Milliseconds(5));
  EXPECT_EQ(std::get<Exited>(run(runner, named("tool")).outcome).code, 3);
  EXPECT_EQ(std::get<Finished>(runner.wait().at(0)).id, other);
  EXPECT_EQ(std::get<FdReadable>(runner.wait().at(0)).fd, 5);
}

TEST(FakeRunner, AnInterruptionCancelsRunAndIsReportedAfterwards) {
  FakeProcessRunner runner;
  runner.script(takes(Milliseconds(1000), 0));
  runner.inject(Interrupted{1}, Milliseconds(5));
  EXPECT_TRUE(std::holds_alternative<Cancelled>(run(runner, named("tool")).outcome));
  EXPECT_EQ(std::get<Interrupted>(runner.wait().at(0)).count, 1);
}

TEST(FakeRunner, ToolsBesideEachOtherEndWhenTheLastOneDoes) {
  FakeProcessRunner runner;
  runner.script(takes(Milliseconds(30), 1));
  runner.script({.result = {}, .refused = Error{ErrorKind::missing, "no such program", {}, {}}});
  runner.script(takes(Milliseconds(20), 3));
  std::vector<ProcessRequest> requests;
  for (const char* const name : {"slow", "missing", "fast"}) requests.push_back(named(name));
  const std::vector<ProcessResult> results = run_beside(runner, std::move(requests));
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(std::get<Exited>(results[0].outcome).code, 1);
  EXPECT_EQ(describe(results[1].outcome), "no such program");
  EXPECT_EQ(std::get<Exited>(results[2].outcome).code, 3);
  EXPECT_EQ(runner.now().time_since_epoch(), Milliseconds(30));
}

TEST(FakeRunner, AnInterruptionCancelsAllThatRunBesideEachOther) {
  FakeProcessRunner runner;
  for (int i = 0; i < 2; ++i) runner.script(takes(Milliseconds(1000), 0));
  runner.inject(Interrupted{1}, Milliseconds(5));
  std::vector<ProcessRequest> requests;
  for (const char* const name : {"one", "other"}) requests.push_back(named(name));
  for (const ProcessResult& result : run_beside(runner, std::move(requests)))
    EXPECT_TRUE(std::holds_alternative<Cancelled>(result.outcome));
  EXPECT_EQ(std::get<Interrupted>(runner.wait().at(0)).count, 1);
}

/// Gives every byte back, and ends at a full stop.
class Echo final : public FakePeer {
 public:
  Echo(FakeProcessRunner& runner, ProcessId id, ProcessRequest& request)
      : runner_(&runner), id_(id), fd_(std::move(request.pass_fds.at(0).fd)) {}
  void pump() override {
    char byte = 0;
    while (recv(fd_.get(), &byte, 1, MSG_DONTWAIT) == 1) {
      send(fd_.get(), &byte, 1, MSG_NOSIGNAL);
      ProcessResult result;
      result.outcome = Exited{7};
      if (byte == '.') runner_->end(id_, std::move(result));
    }
  }

 private:
  FakeProcessRunner* runner_;
  ProcessId id_;
  UniqueFd fd_;
};

TEST(FakeRunner, APeerSpeaksOverTheDescriptorsThatTheProcessWasHanded) {
  FakeProcessRunner runner;
  runner.play = [](const ProcessRequest&) {
    ScriptedProcess echo{.takes = std::nullopt};
    echo.peer = [](FakeProcessRunner& on, ProcessId id, ProcessRequest& request) {
      return std::make_unique<Echo>(on, id, request);
    };
    return echo;
  };
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd ours(ends[0]);
  ProcessRequest request = named("echo");
  request.pass_fds.push_back({3, UniqueFd(ends[1])});
  const ProcessId id = runner.start(std::move(request)).value();
  runner.watch(ours.get());
  EXPECT_TRUE(runner.wait(runner.now() + Milliseconds(10)).empty());
  ASSERT_EQ(write(ours.get(), "a.", 2), 2);
  const std::vector<Event> events = runner.wait();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<FdReadable>(events[0]).fd, ours.get());
  EXPECT_EQ(runner.now().time_since_epoch(), Milliseconds(10)) << "no time passes while somebody speaks";
  char text[2];
  ASSERT_EQ(read(ours.get(), text, sizeof text), 2);
  const std::vector<Event> last = runner.wait();
  ASSERT_EQ(last.size(), 2U) << "closed with the process, and reported before it";
  EXPECT_EQ(std::get<FdClosed>(last[0]).fd, ours.get());
  EXPECT_EQ(std::get<Finished>(last[1]).id, id);
  EXPECT_TRUE(runner.watched.empty());
}

TEST(FakeRunner, AChildReactsToSignalsAsItsScriptSays) {
  FakeProcessRunner runner;
  runner.children[7] = {.parent = 3, .growth_bytes = 1000};
  runner.children[7].on_signal = [&](int signal) {
    if (signal == SIGTERM) runner.children.erase(7);
  };
  EXPECT_EQ(runner.hold(7, 4), nullptr);
  const std::unique_ptr<ChildHandle> child = runner.hold(7, 3);
  EXPECT_EQ(child->growth_bytes(0), 1000U);
  EXPECT_EQ(child->signal_tree(SIGINT), 1);
  EXPECT_TRUE(child->signal(SIGTERM));
  EXPECT_FALSE(child->signal(SIGKILL));
  EXPECT_THAT(runner.signals, testing::ElementsAre(SentSignal{7, SIGINT, true}, SentSignal{7, SIGTERM, false}));
}

TEST(FakeRunner, ItSaysSoWhereEverybodyWaits) {
  FakeProcessRunner runner;
  runner.script({.takes = std::nullopt});
  const ProcessId id = runner.start(named("waits")).value();
  EXPECT_TRUE(runner.wait(runner.now() + Milliseconds(10)).empty());
  EXPECT_THROW(runner.wait(), std::logic_error);
  runner.cancel(id);
  EXPECT_EQ(runner.wait().size(), 1U);
}

}  // namespace
}  // namespace tally
