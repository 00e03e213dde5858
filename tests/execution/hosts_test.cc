/// Hosts that lie, die or are of another version, in the place of the real one.
#include <sys/stat.h>

#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class HostsTest : public CommandTest {
 protected:
  HostsTest() {
    // A copy of the command with a libexec folder of its own, in which the C++ host is a script.
    const std::string libexec = path("libexec/tallymark");
    fs::create_directories(libexec);
    fs::copy(tally_, path("tally"));
    tally_ = path("tally");
    for (const auto& entry : fs::directory_iterator(TALLY_BUILD_DIR "/libexec/tallymark")) {
      if (entry.path().filename() == "include") {
        fs::create_directory_symlink(entry.path(), libexec + "/include");
      } else if (entry.path().filename() != "tally-host-cpp") {
        fs::create_symlink(entry.path(), libexec + "/" + entry.path().filename().string());
      }
    }
    write("suite.toml",
          "schema = 1\ntoolchain = \"cpp\"\n[[benchmark]]\nlabel = [\"a\"]\npy = 'x = 1'\ncpp = 'tally::keep(1);'\n"
          "[[benchmark]]\nlabel = [\"b\"]\npy = 'x = 2'\ncpp = 'tally::keep(2);'\n");
  }
  /// `first` is what the host does when it is started for the first time; `later` after that.
  void host(const std::string& first, const std::string& later) const {
    const std::string name = path("libexec/tallymark/tally-host-cpp");
    std::ofstream(name) << "#!/bin/sh\necho x >> '" << path("starts") << "'\nif [ $(wc -l < '" << path("starts")
                        << "') = 1 ]; then " << first << "; else " << later << "; fi\n";
    chmod(name.c_str(), 0755);
  }
  nlohmann::json of_language(const std::string& language) const {
    nlohmann::json found = nlohmann::json::array();
    for (const auto& one : record("r.json")["cases"]) {
      if (one["language"] == language) found.push_back(one);
    }
    return found;
  }
  void expect_python_undisturbed() const {
    for (const auto& one : of_language("python")) EXPECT_EQ(one["status"], "ok");
  }
};

const std::string kReal = "exec " TALLY_BUILD_DIR "/libexec/tallymark/tally-host-cpp \"$@\"";

TEST_F(HostsTest, AHostWithOneInvalidMessageIsReplaced) {
  host("exec " + victim("writes_a_broken_message"), kReal);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 0) << read("output");
  EXPECT_THAT(read("output"), HasSubstr("is started again"));
}

TEST_F(HostsTest, AKilledStartIsReplaced) {
  host("kill -9 $$", kReal);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 0) << read("output");
}

TEST_F(HostsTest, InvalidMessagesForEverFailTheirCasesOnly) {
  host("exec " + victim("writes_a_broken_message"), "exec " + victim("writes_a_broken_message"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  expect_python_undisturbed();
  for (const auto& one : of_language("cpp")) {
    EXPECT_EQ(one["failure"]["stage"], "host");
    EXPECT_THAT(one["failure"]["message"].get<std::string>(), HasSubstr("not a message of our protocol"));
  }
  EXPECT_EQ(std::ranges::count(read("starts"), '\n'), 3) << "two more tries";
}

TEST_F(HostsTest, WhatItDecidesItselfIsNotTriedAgain) {
  host("echo 'cannot preload: no such library' >&2; exit 3", "exit 4");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  expect_python_undisturbed();
  EXPECT_THAT(of_language("cpp")[0]["failure"]["message"].get<std::string>(),
              AllOf(HasSubstr("exited with code 3"), HasSubstr("no such library")));
  EXPECT_EQ(std::ranges::count(read("starts"), '\n'), 1);
}

TEST_F(HostsTest, AClosedPipeIsAHostThatIsGone) {
  host("exec " + victim("closes_its_pipe"), kReal);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 0) << read("output");
}

TEST_F(HostsTest, OneThatHangsAtItsStartIsReplaced) {
  host("exec " + victim("spins"), kReal);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--host-timeout", "6"}), 0) << read("output");
  EXPECT_THAT(read("output"), AllOf(HasSubstr("is started again"), HasSubstr("it was not ready within 6 s")));
}

TEST_F(HostsTest, OneThatHangsWhenItIsAskedToForkIsReplaced) {
  // A hello, then nothing: what it is sent lies in its socket.
  const std::string deaf = R"(printf 'TMRK\002\000\001\000\000\000\000\000\000\000\000\000' >&3; exec sleep 600)";
  host(deaf, kReal);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--host-timeout", "6"}), 0) << read("output");
  std::size_t attempts = 0;
  for (const auto& one : of_language("cpp")) {
    EXPECT_EQ(one["status"], "ok");
    attempts += one["attempts"].size();
  }
  EXPECT_GT(attempts, 2U) << "what was requested is tried again";

  host(deaf, deaf);
  fs::remove(path("starts"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--host-timeout", "3", "--filter", "language=cpp"}), 1);
  EXPECT_EQ(of_language("cpp")[0]["failure"]["stage"], "host");
  EXPECT_THAT(of_language("cpp")[0]["failure"]["message"].get<std::string>(),
              HasSubstr("the host did not answer within 3 s"));
  EXPECT_THAT(of_language("cpp")[0]["attempts"], ::testing::SizeIs(3));
}

TEST_F(HostsTest, TheReasonIsTheLastLineWithAWordInIt) {
  host("printf '==77== Warning: the last words\\n==77== \\n==77==\\n' >&2; exit 3", "exit 4");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  EXPECT_THAT(of_language("cpp")[0]["failure"]["message"].get<std::string>(),
              ::testing::EndsWith("exited with code 3: Warning: the last words"));
}

TEST_F(HostsTest, OneWithASecondThreadServesASingleCase) {
  host(kReal, kReal);
  write("grows_a_thread.py",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()\n");
  write("suite.toml",
        "schema = 1\n[defaults]\ntoolchain = \"threaded\"\n[toolchain.threaded]\nextends = \"python\"\nrequires = "
        "[\"grows_a_thread\"]\n[[benchmark]]\nlabel = [\"a\"]\npy = 'x = 1'\n[[benchmark]]\nlabel = [\"b\"]\npy = 'x "
        "= 2'\n");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "-v"}), 0) << read("output");
  EXPECT_THAT(read("output"), HasSubstr("cannot be forked safely: each of its cases gets a host of its own"));
  std::size_t starts = 0;
  const std::string output = read("output");
  for (std::size_t at = 0; (at = output.find("Python host of threaded: ", at)) != std::string::npos; ++at) ++starts;
  EXPECT_EQ(starts, 2U) << output;
}

TEST_F(HostsTest, AnotherVersionIsRefusedWithTheHint) {
  // A hello of protocol 3 without fields: magic, version, type, job, length.
  const std::string hello = R"(printf 'TMRK\003\000\001\000\000\000\000\000\000\000\000\000' >&3; exec sleep 60)";
  host(hello, hello);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  EXPECT_THAT(of_language("cpp")[0]["failure"]["message"].get<std::string>(),
              AllOf(HasSubstr("the host speaks protocol 3, this tally 2"), HasSubstr("build or install both again")));
  EXPECT_EQ(std::ranges::count(read("starts"), '\n'), 1) << "refused for good";
  expect_python_undisturbed();
}

/// The real ones: what is private and written is copied with each fork, which makes a quarter of a timing session.
class NativeHostsTest : public CommandTest {};

TEST_F(NativeHostsTest, ShareTheirHeapsWithWhatTheyFork) {
  write("suite.toml", R"(
schema = 1
toolchain = "cpp"
[[benchmark]]
label = ["shared"]
py = "x = 1"
cpp = "tally::keep(1);"
[benchmark.setup]
py = """
shared = [line for line in open("/proc/self/maps") if "memfd:heap" in line and " rw-p " in line]
assert len(shared) > 1, "of the C library's heap and of CPython's arenas one is not shared"
"""
cpp = """
std::string line;
bool shared = false;
for (std::ifstream maps("/proc/self/maps"); std::getline(maps, line);)
  shared = shared || (line.find("memfd:heap") != std::string::npos && line.find(" rw-p ") != std::string::npos);
if (!shared) std::abort();
"""
)");
  // Debian's Python is linked to one address, and the loader finds the malloc of that one in the program itself.
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--python", python}), 0) << python << read("output");
  }
}

/// What executes the statement, process after process: "own" of the case's, "child" of one that it forked.
class TimedChildrenTest : public CommandTest {
 protected:
  std::string logged(const std::vector<std::string>& options) const {
    write("suite.toml",
          "schema = 1\ntoolchain = \"python\"\n[[benchmark]]\nlabel = [\"logs\"]\npy = '''\nwith open(\"" +
              path("logged") + R"(", "a") as file:
    file.write("own " if os.getpid() == own else f"{os.getpid()} ")
'''
setup = { py = 'import os; own = os.getpid()' }
)");
    fs::remove(path("logged"));
    std::vector<std::string> arguments{"--json", "r.json", "--wall-only"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(run(arguments), 0) << read("output");
    std::string order;
    std::string last;
    std::istringstream words(read("logged"));
    for (std::string word; words >> word; last = word) {
      if (word != last) order += word == "own" ? "own " : "child ";
    }
    return order;
  }
};

TEST_F(TimedChildrenTest, TheLastIsTheCasesOwnProcessWhereItIsKnownToBeTheLast) {
  EXPECT_EQ(logged({"--min-run-time", "0.001", "--max-run-time", "0.001"}), "own child own ");
  EXPECT_EQ(record("r.json")["cases"][0]["wall"]["samples_per_child"].size(), 2U);
}

TEST_F(TimedChildrenTest, OtherwiseAllAreForkedFromItsState) {
  // How many there are is the machine's speed.
  EXPECT_THAT(logged({"--min-run-time", "0.005", "--max-run-time", "0.5", "--precision", "100"}),
              ::testing::MatchesRegex("own (child )+"));
}

}  // namespace
}  // namespace tally::testing
