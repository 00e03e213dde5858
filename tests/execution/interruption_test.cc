/// Ctrl-C, Ctrl-C twice, kill -9, a full disk: what was measured is kept, and --resume ends where an undisturbed run
/// does.
#include <sys/mount.h>

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>

#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// So many cases in both languages, of which the last but one takes long.
std::string suite_of(int count) {
  std::string text = "schema = 1\ntoolchain = \"cpp\"\n";
  for (int i = 0; i < count; ++i) {
    text += "[[benchmark]]\nlabel = [\"case " + std::to_string(i) + "\"]\npy = 'x = sum(range(" +
            std::to_string(10 + i) + "))'\n";
    if (i % 4 == 0) text += "cpp = 'tally::keep(" + std::to_string(i / 4 % 3) + ");'\n";
  }
  return text;
}

/// A case that does not end while a test looks, after those before it.
const std::string kSlow =
    "[[benchmark]]\nlabel = [\"slow\"]\npy = 'time.sleep(3600)'\nsetup = { py = 'import time' }\n";

std::size_t skipped(const nlohmann::json& record) {
  return static_cast<std::size_t>(
      std::ranges::count_if(record["cases"], [](const auto& one) { return one["status"] == "skipped"; }));
}

class InterruptionTest : public CommandTest {
 protected:
  /// The ids of the cases that the journal holds: all whole lines but the header.
  [[nodiscard]] std::vector<std::string> journaled() const {
    std::vector<std::string> ids;
    std::istringstream lines(read("r.json.journal"));
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      const nlohmann::json one = nlohmann::json::parse(line);
      if (one.contains("case") && one["case"].contains("id")) ids.push_back(one["case"]["id"]);
    }
    return ids;
  }
  /// Until so many are in the journal.
  void wait_for_cases(std::size_t cases) const {
    const Clock::time_point end = Clock::now() + kPatience;
    while (journaled().size() < cases && Clock::now() < end) std::this_thread::sleep_for(Milliseconds(5));
    ASSERT_GE(journaled().size(), cases);
  }
  /// What the terminal shows, once it shows `text`.
  static std::string shown_with(const Command& command, const std::string& text) {
    std::string all;
    const Clock::time_point end = Clock::now() + kPatience;
    while (!all.contains(text) && Clock::now() < end) {
      all += command.shown();
      std::this_thread::sleep_for(Milliseconds(5));
    }
    return all;
  }
};

TEST_F(InterruptionTest, ControlCOnceWritesTheRecordAndResumeEndsAsIfNothingWas) {
  write("suite.toml", suite_of(3) + kSlow + "[[benchmark]]\nlabel = [\"never\"]\npy = 'y = 1'\n");
  Command command = start({"--json", "r.json", "--wall-only", "--cores", "0"}, true);
  wait_for_cases(3);
  EXPECT_THAT(shown_with(command, "/6]"), HasSubstr("/6]")) << "the live line";
  command.press_control_c();
  EXPECT_EQ(command.wait(), 130) << "long before the slow one ends by itself";
  EXPECT_TRUE(all_gone(mark_, kPatience));
  EXPECT_GE(skipped(record("r.json")), 1U);
  EXPECT_EQ(record("r.json")["cases"].size(), 6U);

  write("suite.toml", suite_of(3) + kSlow + "[[benchmark]]\nlabel = [\"never\"]\npy = 'y = 1'\n");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--cores", "0", "--resume", "--timeout", "0.5", "--retries", "0"}),
            1)
      << "the slow one times out";
  EXPECT_EQ(skipped(record("r.json")), 0U);
  EXPECT_FALSE(std::filesystem::exists(path("r.json.journal")));
}

TEST_F(InterruptionTest, ControlCTwiceEndsAtOnceWithAnIntactJournal) {
  write("suite.toml", suite_of(3) + kSlow);
  Command command = start({"--json", "r.json", "--wall-only", "--cores", "0"}, true);
  wait_for_cases(3);
  const std::vector<std::string> kept = journaled();
  command.press_control_c();
  std::this_thread::sleep_for(Milliseconds(100));
  command.press_control_c();
  EXPECT_EQ(command.wait(), 130);
  EXPECT_TRUE(all_gone(mark_, kPatience));
  EXPECT_EQ(
      run({"--json", "r.json", "--wall-only", "--cores", "0", "--resume", "--timeout", "0.5", "--retries", "0", "-v"}),
      1);
  EXPECT_EQ(skipped(record("r.json")), 0U);
  ASSERT_GE(kept.size(), 3U);
  for (const std::string& id : kept) EXPECT_THAT(read("output"), Not(HasSubstr("timing " + id + " ("))) << "kept";
}

/// So many that a run does not end by itself within a test's longest wait after the case that the test waits for: times
/// are taken after the counts, and the first case is complete when most of the work is done.
constexpr int kManyCases = 60;

TEST_F(InterruptionTest, KilledAtRandomMomentsAndResumedItGivesTheSameRecord) {
  write("suite.toml", suite_of(kManyCases));
  ASSERT_EQ(run({"--json", "whole.json"}), 0) << read("output");
  // Moments of its own progress, and some chance beyond: before its first case, after two more have reached the
  // journal, …
  std::mt19937 random(20260101);
  const int kills = size_from_environment("TALLY_KILLS", 6);
  int killed = 0;
  // One that has ended leaves no journal, and nothing to resume.
  for (; killed < kills; ++killed) {
    Command command = start({"--json", "r.json", "--resume"});
    if (killed > 0) wait_for_cases(std::min<std::size_t>(2 * static_cast<std::size_t>(killed) - 1, kManyCases / 2));
    std::this_thread::sleep_for(Milliseconds(std::uniform_int_distribution(0, 300)(random)));
    command.signal(SIGKILL);
    if (command.wait() != -SIGKILL) break;
    ASSERT_TRUE(all_gone(mark_, kPatience)) << "after kill " << killed;
  }
  EXPECT_GT(killed, 1);
  ASSERT_EQ(run({"--json", "r.json", "--resume"}), 0) << read("output");
  EXPECT_EQ(nlohmann::json::diff(without_times(record("whole.json")), without_times(record("r.json"))).dump(), "[]");
}

TEST_F(InterruptionTest, KilledItLeavesNoFolderBehind) {
  write("suite.toml", suite_of(3) + kSlow);
  std::filesystem::create_directory(path("tmp"));
  write("tally.sh", "#!/bin/sh\nTMPDIR='" + path("tmp") + "' exec '" + tally_ + "' \"$@\"\n");
  std::filesystem::permissions(path("tally.sh"), std::filesystem::perms::owner_all);
  tally_ = path("tally.sh");
  Command command = start({"--json", "r.json", "--wall-only"});
  wait_for_cases(3);
  EXPECT_FALSE(std::filesystem::is_empty(path("tmp")));
  command.signal(SIGKILL);
  EXPECT_EQ(command.wait(), -SIGKILL);
  EXPECT_TRUE(all_gone(mark_, kPatience));
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
}

TEST_F(InterruptionTest, AFullDiskStopsTheRunAndTheJournalIsIntact) {
  write("suite.toml", suite_of(40));
  std::filesystem::create_directory(path("small"));
  if (mount("tmpfs", path("small").c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "mount is not permitted";
  EXPECT_EQ(run({"--json", "small/r.json", "--wall-only"}), 1);
  EXPECT_THAT(read("output"), HasSubstr("No space left on device"));
  EXPECT_THAT(read("output"), HasSubstr("--resume"));
  const std::string journal = read("small/r.json.journal");
  EXPECT_TRUE(journal.ends_with('\n'));
  EXPECT_GE(std::ranges::count(journal, '\n'), 2);  // the header, and at least one case
  std::filesystem::copy(path("small/r.json.journal"), path("r.json.journal"));
  EXPECT_EQ(umount(path("small").c_str()), 0);
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--resume"}), 0) << read("output");
  EXPECT_EQ(skipped(record("r.json")), 0U);
}

}  // namespace
}  // namespace tally::testing
