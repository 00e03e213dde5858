/// What a case's code does to its process without a thought for us: it works where it can, and is named where it
/// cannot.
#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HabitsTest : public CommandTest {
 protected:
  static std::string python_case(const std::string& label, const std::string& setup,
                                 const std::string& stmt = "x = 1") {
    return "[[benchmark]]\nlabel = [\"" + label + "\"]\npy = '''" + stmt + "'''\nsetup = { py = '''" + setup +
           "''' }\n";
  }
  void expect_all_ok() const {
    const nlohmann::json made = record("r.json");
    for (const auto& one : made["cases"]) EXPECT_EQ(one["status"], "ok") << one.dump();
  }
};

const std::string kPython = "schema = 1\ntoolchain = \"python\"\n";

TEST_F(HabitsTest, ChildrenThatGoWithoutATraceAreNoneOfOurs) {
  write("suite.toml",
        kPython + python_case("ignores", "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)") +
            python_case("keeps it ignored", "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
                        "assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN") +
            python_case("waits for all", R"(
import os, signal, threading, time
def wait():
    while True:
        try: os.waitpid(-1, 0)
        except ChildProcessError: time.sleep(0.001)
threading.Thread(target=wait, daemon=True).start()
)"));
  EXPECT_EQ(run({"--json", "r.json", "--timeout", "20", "--retries", "0"}), 0) << read("output");
  expect_all_ok();
}

TEST_F(HabitsTest, LowDescriptorsMayBeClosed) {
  write("suite.toml", kPython + python_case("in the setup", "import os; os.closerange(3, 256)") +
                          python_case("in the statement", "import os", "os.closerange(3, 256)"));
  EXPECT_EQ(run({"--json", "r.json", "--timeout", "20", "--retries", "0"}), 0) << read("output");
  expect_all_ok();
}

TEST_F(HabitsTest, WhoClosesAllDescriptorsGetsTheReason) {
  write("suite.toml", kPython + python_case("closes all", "import os; os.closerange(3, 20000)"));
  for (const char* how : {"--wall-only", "--counts-only"}) {
    EXPECT_EQ(run({"--json", "r.json", how}), 1);
    EXPECT_THAT(record("r.json")["cases"][0]["failure"]["message"].get<std::string>(),
                HasSubstr("its code closed descriptor 1000"))
        << how;
  }
}

TEST_F(HabitsTest, OnlyAnIllegalInstructionIsTakenForOne) {
  write("suite.toml",
        "schema = 1\ntoolchain = \"cpp\"\n[[benchmark]]\nlabel = [\"says so\"]\ncpp = 'if (zero == 0) throw "
        "std::runtime_error(\"SIGILL was here\");'\nsetup = { cpp = 'int zero = 0;', cpp_global = '#include "
        "<stdexcept>' }\n"
        "[[benchmark]]\nlabel = [\"is one\"]\ncpp = '__builtin_trap();'\n");
  EXPECT_EQ(run({"--json", "r.json", "--counts-only"}), 1);
  const nlohmann::json cases = record("r.json")["cases"];
  EXPECT_THAT(cases[0]["failure"]["message"].get<std::string>(),
              AllOf(HasSubstr("SIGILL was here"), Not(HasSubstr("Valgrind lacks"))));
  EXPECT_THAT(cases[1]["failure"]["message"].get<std::string>(),
              AllOf(HasSubstr("crashed with SIGILL"), HasSubstr("Valgrind lacks some instructions")));
}

}  // namespace
}  // namespace tally::testing
