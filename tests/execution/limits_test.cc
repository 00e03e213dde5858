/// Deadlines, memory, crashes, floods and strays of a case, and the command that shows a failure again.
#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string python_case(const std::string& label, const std::string& stmt, const std::string& setup = "pass",
                        const std::string& more = "") {
  return "[[benchmark]]\nlabel = [\"" + label + "\"]\npy = '''" + stmt + "'''\nsetup = { py = '''" + setup + "''' }\n" +
         more + "\n";
}

const std::string kHead = "schema = 1\ntoolchain = \"python\"\n";
const std::string kCppHead = "schema = 1\ntoolchain = \"cpp\"\n";

class LimitsTest : public CommandTest {
 protected:
  nlohmann::json only_case(const std::string& name = "r.json") const {
    const nlohmann::json cases = record(name)["cases"];
    EXPECT_THAT(cases, SizeIs(1));
    return cases[0];
  }
};

TEST_F(LimitsTest, ATimeoutIsRetriedOnceAndOthersContinue) {
  write("suite.toml", kHead + python_case("spins", "while True: pass", "pass", "timeout = \"400 ms\"") +
                          python_case("fine", "x = 1"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  const nlohmann::json cases = record("r.json")["cases"];
  EXPECT_EQ(cases[0]["status"], "timeout");
  ASSERT_THAT(cases[0]["attempts"], SizeIs(2));
  EXPECT_EQ(cases[0]["attempts"][0]["outcome"], "timeout");
  EXPECT_THAT(cases[0]["failure"]["message"].get<std::string>(), HasSubstr("timed out after 0.4 s"));
  EXPECT_EQ(cases[1]["status"], "ok");
}

TEST_F(LimitsTest, WhatIgnoresSignalsAndLeavesItsSessionIsKilled) {
  write("suite.toml", kHead +
                          python_case("stays", "time.sleep(3600)", R"(
import os, signal, time
for n in (signal.SIGINT, signal.SIGTERM): signal.signal(n, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    time.sleep(3600)
)",
                                      "timeout = \"1 s\"") +
                          python_case("leaves a daemon", "x = 1", R"(
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    time.sleep(3600)
os.wait()
)") + python_case("sees none", "x = 1", R"py(
import os, time
def parent(pid):
    with open("/proc/%d/stat" % pid) as f: return int(f.read().rsplit(")", 1)[1].split()[1])
host = os.getppid()
supervisor = parent(host)
def left_behind():
    for p in os.listdir("/proc"):
        try:
            if p.isdigit() and int(p) != host and parent(int(p)) == supervisor: return p
        except (FileNotFoundError, ProcessLookupError): pass
end = time.monotonic() + 60
while left_behind():
    if time.monotonic() > end: raise SystemError(left_behind() + " was left behind and lives beside me")
    time.sleep(0.01)
)py"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--retries", "0", "--cores", "0"}), 1);
  const nlohmann::json cases = record("r.json")["cases"];
  EXPECT_EQ(cases[0]["status"], "timeout");
  EXPECT_EQ(cases[1]["status"], "ok") << cases[1].dump();
  EXPECT_EQ(cases[2]["status"], "ok") << cases[2].dump();
}

TEST_F(LimitsTest, OverMemoryIsAClearFailureNativelyAndUnderValgrind) {
  write("suite.toml", kHead + python_case("eats", "x = 1", "x = bytearray(300 << 20)\nimport time; time.sleep(60)",
                                          "memory = \"100 MiB\""));
  for (const char* how : {"--wall-only", "--counts-only"}) {
    EXPECT_EQ(run({"--json", "r.json", how}), 1);
    const nlohmann::json one = only_case();
    EXPECT_EQ(one["status"], "failed") << how;
    EXPECT_EQ(one["failure"]["stage"], "setup") << how;
    EXPECT_THAT(one["failure"]["message"].get<std::string>(), AllOf(HasSubstr("over memory"), HasSubstr("100 MiB")))
        << how;
    EXPECT_THAT(one["attempts"], SizeIs(1)) << "never retried";
  }
  // What the host holds is not the case's.
  write("suite.toml", kHead + python_case("small", "x = 1", "x = bytearray(10 << 20)"));
  EXPECT_EQ(run({"--json", "r.json", "--memory", "60M"}), 0) << read("output");
}

TEST_F(LimitsTest, ForksThatEatTogetherAreCaughtFromOutside) {
  write("suite.toml", kHead + python_case("eat", "x = 1", R"(
import os, time
for i in range(4):
    if os.fork() == 0:
        x = bytearray(50 << 20); time.sleep(30)
time.sleep(30)
)",
                                          "memory = \"120 MiB\""));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  EXPECT_THAT(only_case()["failure"]["message"].get<std::string>(), AllOf(HasSubstr("over memory"), HasSubstr("used")));
}

TEST_F(LimitsTest, ACrashIsReportedWithItsAddressAndNotRetried) {
  write("suite.toml", kCppHead + "[[benchmark]]\nlabel = [\"crash\"]\ncpp = '*(volatile int*)16 = 1;'\n");
  EXPECT_EQ(run({"--json", "r.json"}), 1);
  const nlohmann::json one = only_case();
  EXPECT_EQ(one["status"], "crashed");
  // Its other session, in the other mode, may have begun at the same moment.
  EXPECT_THAT(one["attempts"].size(), ::testing::Le(2U));
  for (const auto& attempt : one["attempts"]) EXPECT_EQ(attempt["outcome"], "crashed");
  EXPECT_THAT(one["failure"]["message"].get<std::string>(),
              AllOf(HasSubstr("SIGSEGV"), HasSubstr("0x0000000000000010")));
}

TEST_F(LimitsTest, AFailureNamesTheStageItHappenedIn) {
  struct Way {
    std::string stage;
    std::string stmt;
    std::string setup;
  };
  // 40 rounds of warm-up; a region has at least one more.
  const auto at = [](int round, const std::string& what) {
    return "n += 1\nif n == " + std::to_string(round) + ": " + what;
  };
  std::string suite = kHead;
  std::vector<std::string> expected;
  for (const std::string what : {"os._exit(3)", "os.kill(os.getpid(), 9)", "os.abort()", "time.sleep(3600)", "1/0"}) {
    const std::string prepare = "import os, time\nn = 0\n";
    // Time enough to reach the stage that is meant, on a busy machine.
    const std::string timeout = what.starts_with("time") ? "timeout = \"4 s\"" : "";
    for (const Way& way : {Way{"setup", "pass", prepare + what}, Way{"warm_up", at(20, what), prepare},
                           Way{"time", at(41, what), prepare}}) {
      suite += python_case(std::to_string(expected.size()), way.stmt, way.setup, timeout);
      expected.push_back(way.stage);
    }
  }
  write("suite.toml", suite);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--retries", "0"}), 1);
  const nlohmann::json cases = record("r.json")["cases"];
  ASSERT_EQ(cases.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(cases[i]["failure"]["stage"], expected[i]) << cases[i].dump();
    EXPECT_EQ(cases[i]["status"], i < 3 || i >= 12 ? "failed" : i < 9 ? "crashed" : "timeout") << cases[i].dump();
  }
}

TEST_F(LimitsTest, AFloodIsCutInTheMiddle) {
  write("suite.toml", kHead + python_case("floods", "1/0", R"(
import sys
sys.stderr.write("begin\n")
for i in range(64): sys.stderr.write("x" * (1 << 20) + "\n")
sys.stderr.write("end\n"); sys.stderr.flush()
)"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  const std::string message = only_case()["failure"]["message"];
  EXPECT_THAT(message, AllOf(HasSubstr("ZeroDivisionError"), HasSubstr("begin\n"), HasSubstr("end\n")));
  EXPECT_LT(message.size(), 100'000U);
}

TEST_F(LimitsTest, ACaseThatWritesIntoOurSocketIsFailedAtOnce) {
  write("suite.toml", kHead + python_case("writes", "x = 1", R"(
import os, stat, time
for fd in range(3, 1100):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, b"\xff" * 64)
    except OSError: pass
)"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--timeout", "3600"}), 1) << "long before its time is out";
  EXPECT_THAT(only_case()["failure"]["message"].get<std::string>(), HasSubstr("not a message of our protocol"));
}

TEST_F(LimitsTest, TheCommandInAFailureShowsItAgain) {
  write("suite.toml", kHead + python_case("it's [odd] *", "1/0", "pass") + python_case("fine", "x = 1"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  const std::string command = record("r.json")["cases"][0]["failure"]["reproduce"];
  ASSERT_THAT(command, AllOf(HasSubstr("--isolation process"), HasSubstr("--keep"), HasSubstr("--filter")));
  ASSERT_TRUE(command.starts_with("tally run "));
  Command again = Command::start({"/bin/sh", "-c", tally_ + command.substr(5)}, folder_, mark_, false);
  EXPECT_EQ(again.wait(), 1);
  EXPECT_THAT(read("output"),
              AllOf(HasSubstr("1 case: 0 ok, 1 failed"), HasSubstr("ZeroDivisionError"), HasSubstr("kept /")));
}

}  // namespace
}  // namespace tally::testing
