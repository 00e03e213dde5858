#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>

namespace tally::cli {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ProgressTest : public testing::Test {
 protected:
  std::unique_ptr<Progress> begin(ProgressStyle style, std::size_t total, int width = 100, std::size_t finished = 0) {
    auto progress = std::make_unique<Progress>(out_, style, false, false, width, [this] { return now_; });
    progress->on_begin(total, finished);
    return progress;
  }
  /// What was written since the last call.
  std::string said() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }
  /// One session of so many seconds.
  void session(RunObserver& progress, const std::string& id, Mode mode, int length) {
    progress.on_session(named(id), mode, {0});
    now_ += seconds(length);
    progress.on_session_end(named(id), mode);
  }
  static Case named(const std::string& id) {
    Case measured;
    measured.id = id;
    return measured;
  }
  static CaseRecord ended(const std::string& id, CaseStatus status) {
    CaseRecord record;
    record.id = id;
    record.status = status;
    return record;
  }

  std::ostringstream out_;
  Progress::Time now_{seconds(1000)};
};

TEST_F(ProgressTest, TheLiveLineSaysWhatRunsWhereAndIsDrawnOverItself) {
  const auto progress = begin(ProgressStyle::live, 8);
  progress->on_planned(Mode::counts, 8);
  progress->on_process("Python host", {"python3"});
  EXPECT_EQ(said(), "\r\033[K[0/8] · 0 s · starting Python host");
  progress->on_session(named("a"), Mode::counts, {0});
  EXPECT_EQ(said(), "\r\033[K[0/8] · 0 s · counting a (CPU 0)");
  now_ += seconds(2);
  progress->on_session(named("b"), Mode::counts, {1, 2});
  EXPECT_EQ(said(), "\r\033[K[0/8] · 2 s · counting a (CPU 0) · counting b (CPU 1,2)");
  progress->on_session_end(named("a"), Mode::counts);
  CaseRecord failed = ended("a", CaseStatus::failed);
  failed.failure = Failure{.stage = "setup", .message = "no\nTraceback of many lines", .reproduce = ""};
  progress->on_case(failed);
  EXPECT_EQ(said(), "\r\033[K[1/8] failed a: no\n\r\033[K[1/8] 1 failed · 2 s · counting b (CPU 1,2)");
  progress->on_end();
  EXPECT_EQ(said(), "\r\033[K");
}

TEST_F(ProgressTest, TheTimeLeftFollowsThePaceOfEachMode) {
  const auto progress = begin(ProgressStyle::live, 10);
  progress->on_planned(Mode::counts, 10);
  progress->on_planned(Mode::wall, 10);
  session(*progress, "0", Mode::counts, 2);
  session(*progress, "1", Mode::counts, 2);
  progress->on_session(named("2"), Mode::counts, {0});
  EXPECT_THAT(said(), Not(HasSubstr("left"))) << "two are not enough to estimate";
  now_ += seconds(2);
  progress->on_session_end(named("2"), Mode::counts);
  progress->on_session(named("3"), Mode::counts, {0});
  // 2 s each: 7 more counts, and 10 times of which nothing better is known.
  EXPECT_THAT(said(), HasSubstr("· 34 s left ·"));
  now_ += seconds(2);
  progress->on_session_end(named("3"), Mode::counts);
  for (int i = 4; i < 10; ++i) session(*progress, std::to_string(i), Mode::counts, 2);
  for (int i = 0; i < 4; ++i) session(*progress, std::to_string(i), Mode::wall, 30);
  said();
  progress->on_session(named("4"), Mode::wall, {0});
  EXPECT_THAT(said(), HasSubstr("· 3:00 min left ·")) << "6 times at 30 s";
}

TEST_F(ProgressTest, TheLiveLineIsCutBeforeTheEdgeAtAWholeCharacter) {
  const auto progress = begin(ProgressStyle::live, 1, 30);
  progress->on_session(named("äääääääääääääääääääääää"), Mode::wall, {0});
  const std::string text = said();
  EXPECT_LE(text.size(), std::string("\r\033[K").size() + 29);
  EXPECT_THAT(text, EndsWith("ä"));
}

TEST_F(ProgressTest, ASecondRunBeginsAnew) {
  const auto progress = begin(ProgressStyle::live, 4);
  progress->on_case(ended("a", CaseStatus::failed));
  progress->on_end();
  progress->on_message("round 2");
  EXPECT_THAT(said(), EndsWith("\r\033[Ktally: round 2\n"));
  progress->on_begin(7, 0);
  progress->on_session(named("b"), Mode::counts, {0});
  EXPECT_EQ(said(), "\r\033[K[0/7] · 0 s · counting b (CPU 0)");
}

TEST_F(ProgressTest, ElsewhereThereIsALineACase) {
  const auto progress = begin(ProgressStyle::lines, 3, 100, 1);
  progress->on_session(named("a"), Mode::wall, {0});
  EXPECT_EQ(said(), "");
  progress->on_case(ended("a", CaseStatus::ok));
  EXPECT_EQ(said(), "[2/3] ok a\n");
  const auto quiet = begin(ProgressStyle::quiet, 3);
  quiet->on_case(ended("a", CaseStatus::ok));
  quiet->on_message("no");
  EXPECT_EQ(said(), "");
  quiet->on_waiting("waiting for CPUs: process 7 has CPU 0");
  EXPECT_EQ(said(), "tally: waiting for CPUs: process 7 has CPU 0\n") << "why nothing happens is never withheld";
}

TEST_F(ProgressTest, WhileOthersAreWaitedForNoTimeIsLeft) {
  const auto progress = begin(ProgressStyle::live, 5);
  progress->on_planned(Mode::counts, 5);
  for (int i = 0; i < 5; ++i) session(*progress, std::to_string(i), Mode::counts, 2);
  said();
  now_ += seconds(60);
  progress->on_waiting("waiting for CPUs: process 7 has CPU 0");
  EXPECT_THAT(said(),
              EndsWith("tally: waiting for CPUs: process 7 has CPU 0\n\r\033[K[0/5] · 70 s · waiting for others"));
  progress->on_planned(Mode::wall, 5);
  progress->on_session(named("0"), Mode::wall, {0});
  EXPECT_THAT(said(), HasSubstr("left · timing 0")) << "it continues";
}

}  // namespace
}  // namespace tally::cli
