#include "process/fake_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(FakeRunner, AnInterruptionCancelsRunAndIsToldAfterwards) {
  FakeProcessRunner runner;
  runner.script(takes(Milliseconds(1000), 0));
  runner.inject(Interrupted{1}, Milliseconds(5));
  EXPECT_TRUE(std::holds_alternative<Cancelled>(run(runner, named("tool")).outcome));
  EXPECT_EQ(std::get<Interrupted>(runner.wait().at(0)).count, 1);
}

}  // namespace
}  // namespace tally
