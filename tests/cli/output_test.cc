/// Files and streams are the user's: what cannot be printed is never passed over, and what stands where something is to
/// be written is written into, not replaced.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <thread>

#include "harness.h"
#include "record/example_record.h"

namespace tally::cli_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::vector<std::string> kTime = {"time", "pass", "-l", "python", "--wall-only", "-q", "--server", "off"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class OutputTest : public testing::Test {
 protected:
  OutputTest() : folder_(TemporaryFolder::make().value()) {
    Record record = example_record();
    EXPECT_TRUE(write_file(path("a.json"), to_json(record)));
    EXPECT_TRUE(write_file(path("b.json"), to_json(record)));
    EXPECT_TRUE(write_file(path("suite.toml"),
                           "schema = 1\n[[timer]]\nlabel = [\"a\"]\nlanguage = \"python\"\nstmt = \"pass\"\n"));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Every command that prints something, so that something is printed soon. What is left out (run, ab, bisect, submit,
  /// explain) takes long or a cluster, and prints as these do.
  [[nodiscard]] std::vector<std::vector<std::string>> printing() const {
    const std::string trace = TALLY_SOURCE_DIR "/tests/trace/corpus/kineto.json";
    return {{"--help"},
            {"--version"},
            {"time", "--help"},
            kTime,
            {"list", path("suite.toml")},
            {"plan", path("suite.toml"), "--json"},
            {"toolchains"},
            {"toolchains", "torch"},
            {"compare", path("a.json"), path("b.json")},
            {"compare", path("a.json"), path("b.json"), "--json"},
            {"compare", path("a.json"), path("b.json"), "--csv", "-"},
            {"check", path("a.json"), path("b.json"), "--max-age", "0"},
            {"table", path("a.json")},
            {"profile", "--list-rules"},
            {"report", path("a.json"), "-o", "-"},
            {"report", path("a.json"), "-o", path("a.html")},
            {"report", path("a.json"), "--benchmark-json", "-"},
            {"trace", trace},
            {"trace", trace, "--json"},
            {"history", "log", "--store", path("store")},
            {"init", path("."), "--suite"}};
  }
  /// With standard output as a shell has it after this.
  [[nodiscard]] static Ran with_output(const std::vector<std::string>& arguments, const std::string& redirection) {
    return tally(arguments, {.started_by = {"bash", "-c", "exec \"$0\" \"$@\" " + redirection}});
  }

  TemporaryFolder folder_;
};

TEST_F(OutputTest, WhatCannotBePrintedFailsInEveryCommandAndIsReportedOnce) {
  for (const auto& arguments : printing()) {
    const std::string what = testing::PrintToString(arguments);
    std::error_code ignored;
    fs::remove_all(path("benchmarks"), ignored);
    const Ran fine = tally(arguments);
    fs::remove_all(path("benchmarks"), ignored);
    const Ran full = with_output(arguments, "> /dev/full");
    if (fine.out.empty()) {  // it has nothing to print, for a reason that it says
      EXPECT_NE(fine.err, "") << what;
      continue;
    }
    EXPECT_EQ(full.code, fine.code == 0 ? 1 : fine.code) << what << full.err;
    const std::string said = "tally: error: cannot write to standard output: No space left on device\n";
    EXPECT_THAT(full.err, EndsWith(said)) << what;
    EXPECT_EQ(full.err.find(said), full.err.rfind(said)) << what;
    EXPECT_EQ(masked(full.err, said, ""), fine.err) << what;
    fs::remove_all(path("benchmarks"), ignored);
    const Ran closed = with_output(arguments, ">&-");
    EXPECT_EQ(closed.code, full.code) << what;
    EXPECT_THAT(closed.err, EndsWith("cannot write to standard output: Bad file descriptor\n")) << what;
  }
}

TEST_F(OutputTest, AReaderThatHasGoneIsNoErrorToTalkAbout) {
  // What `tally … | head` comes to: a pipe that nobody reads any more.
  const Ran gone = tally({"plan", path("suite.toml"), "--json"},
                         {.started_by = {"bash", "-c",
                                         "mkfifo \"$2.pipe\"; exec 3<> \"$2.pipe\"; exec 4> \"$2.pipe\"; "
                                         "exec 3<&-; exec \"$0\" \"$@\" >&4"}});
  EXPECT_EQ(gone.code, 141);
  EXPECT_EQ(gone.err, "");
}

TEST_F(OutputTest, WhatIsPrintedBelongsToNoFileThatIsOpenedLater) {
  // Where standard output is closed, the record would get its number, and the table.
  const Ran ran = with_output(with(kTime, {"--json", path("r.json")}), ">&-");
  EXPECT_EQ(ran.code, 1);
  const auto text = read_file(path("r.json"));
  ASSERT_TRUE(text);
  EXPECT_TRUE(record_from_json(*text, "r.json"));
}

TEST_F(OutputTest, ARecordGoesIntoAPipeADeviceAndThroughALink) {
  const Ran piped = tally(
      with(kTime, {"--json"}),
      {.started_by = {"bash", "-c", "\"$0\" \"$@\" >(cat > " + path("piped.json") + "); code=$?; wait; exit $code"}});
  ASSERT_EQ(piped.code, 0) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr("statement")) << "and the table is printed";
  const auto end = Clock::now() + std::chrono::minutes(10);
  const auto is_whole = [&] { return record_from_json(read_file(path("piped.json")).value_or(""), "").has_value(); };
  while (!is_whole() && Clock::now() < end) std::this_thread::sleep_for(Milliseconds(10));
  EXPECT_TRUE(is_whole());

  fs::create_directory(path("elsewhere"));
  fs::create_symlink("elsewhere/r.json", path("link.json"));
  EXPECT_EQ(tally(with(kTime, {"--json", path("link.json")})).code, 0);
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_TRUE(fs::is_regular_file(path("elsewhere/r.json")));

  // Not the machine's own: a tally that replaces it would do so here.
  if (::mknod(path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "mknod is not permitted";
  EXPECT_EQ(tally(with(kTime, {"--json", path("null")})).code, 0);
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_EQ(tally({"run", path("suite.toml"), "--wall-only", "-q", "--json", path("null")}).code, 0);
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_FALSE(fs::exists(path("null.journal"))) << "that would lie in /dev";
  const Ran profiles = tally({"run", path("suite.toml"), "--profiles", "--json", path("null")});
  EXPECT_EQ(profiles.code, 2);
  EXPECT_THAT(profiles.err, HasSubstr("profiles are kept beside the record, and there is none"));
}

/// A mount namespace of this process's own, with a folder in it; skipped where that is not permitted.
class MountTest : public OutputTest {
 protected:
  void SetUp() override {
    fs::create_directory(path("home"));
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      GTEST_SKIP() << "mounts are not permitted";
  }
  void TearDown() override { ::umount2(path("home").c_str(), MNT_DETACH); }
  [[nodiscard]] Ran at_home(const std::vector<std::string>& arguments) const {
    return tally(arguments, {.cache = path("home")});
  }
};

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

TEST_F(MountTest, AHomeThatMustNotBeWrittenIsReportedOnceWithTheVariable) {
  ASSERT_EQ(::mount("tmpfs", path("home").c_str(), "tmpfs", MS_RDONLY, ""), 0);
  std::string suite = "schema = 1\ntoolchain = \"cpp\"\n";
  for (int i = 0; i < 4; ++i)
    suite +=
        "[[benchmark]]\nlabel = [\"" + std::to_string(i) + "\"]\ncpp = \"tally::keep(" + std::to_string(i) + ");\"\n";
  ASSERT_TRUE(write_file(path("cpp.toml"), suite));
  const Ran journal = at_home({"run", path("cpp.toml"), "--wall-only"});
  EXPECT_EQ(journal.code, 1);
  EXPECT_THAT(journal.err, HasSubstr("Read-only file system; set XDG_STATE_HOME to a folder that can be written, or "
                                     "use --json FILE\n"));
  EXPECT_EQ(times(journal.err, "Read-only"), 1U) << journal.err;
  const Ran cache = at_home({"run", path("cpp.toml"), "--wall-only", "--json", path("r.json")});
  EXPECT_EQ(cache.code, 1);
  EXPECT_EQ(times(cache.err, "Read-only file system"), 1U) << cache.err;
  EXPECT_THAT(cache.err, HasSubstr("set XDG_CACHE_HOME to a folder that can be written and has room"));
  const Ran record = at_home({"time", "pass", "-l", "python", "--json", path("home/deep/r.json")});
  EXPECT_EQ(record.code, 1);
  EXPECT_EQ(record.err, "tally: error: " + path("home/deep") + ": cannot make the folder: Read-only file system\n");
}

TEST_F(MountTest, AFullCacheIsReportedOnceWithTheVariable) {
  ASSERT_EQ(::mount("tmpfs", path("home").c_str(), "tmpfs", 0, "size=64k"), 0);
  std::string suite = "schema = 1\ntoolchain = \"cpp\"\n";
  for (int i = 0; i < 4; ++i)
    suite +=
        "[[benchmark]]\nlabel = [\"" + std::to_string(i) + "\"]\ncpp = \"tally::keep(" + std::to_string(i) + ");\"\n";
  ASSERT_TRUE(write_file(path("cpp.toml"), suite));
  const Ran ran = at_home({"run", path("cpp.toml"), "--wall-only", "--json", path("r.json")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(times(ran.err, "XDG_CACHE_HOME"), 1U) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
}

TEST_F(MountTest, ACaseThatFillsTheTemporaryFolderFailsByThatName) {
  ASSERT_EQ(::mount("tmpfs", path("home").c_str(), "tmpfs", 0, "size=3m"), 0);
  const std::string suite = fmt::format(R"toml(schema = 1
toolchain = "python"
[[benchmark]]
label = ["fills"]
setup.py = """
there = open('{0}', 'wb', buffering=0)
try:
    for _ in range(1000): there.write(bytes(4096))
except OSError: pass
"""
py = "len('x')"
[[benchmark]]
label = ["frees"]
setup.py = "import os; os.unlink('{0}')"
py = "len('x')"
)toml",
                                        path("home/fill"));
  ASSERT_TRUE(write_file(path("fill.toml"), suite));
  const Ran ran = tally({"run", path("fill.toml"), "--counts-only"}, {.more = {{"TMPDIR", path("home")}}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(times(ran.out, "is there room in the folder of temporary files (TMPDIR)"), 1U) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2 cases: 1 ok, 1 failed"));
}

}  // namespace
}  // namespace tally::cli_test
