#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tally::cli {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ProgressTest : public testing::Test {
 protected:
  Progress progress(ProgressStyle style, std::size_t total, int width = 100) {
    return {out_, style, false, false, width, total, [this] { return now_; }};
  }
  /// What was written since the last call.
  std::string said() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }
  /// One session of so many seconds.
  void session(Progress& progress, const std::string& id, Mode mode, int length) {
    progress.session(id, mode, {0});
    now_ += seconds(length);
    progress.session_end(id, mode);
  }
  static CaseOutcome ok() {
    CaseOutcome outcome;
    outcome.ending = Ending::ok;
    return outcome;
  }

  std::ostringstream out_;
  Progress::Time now_{seconds(1000)};
};

TEST_F(ProgressTest, TheLiveLineSaysWhatRunsWhereAndIsDrawnOverItself) {
  Progress progress = this->progress(ProgressStyle::live, 8);
  progress.plan(Mode::counts, 8);
  progress.process("Python host", {"python3"});
  EXPECT_EQ(said(), "\r\033[K[0/8] · 0 s · starting Python host");
  progress.session("a", Mode::counts, {0});
  EXPECT_EQ(said(), "\r\033[K[0/8] · 0 s · counting a (CPU 0)");
  now_ += seconds(2);
  progress.session("b", Mode::counts, {1, 2});
  EXPECT_EQ(said(), "\r\033[K[0/8] · 2 s · counting a (CPU 0) · counting b (CPU 1,2)");
  progress.session_end("a", Mode::counts);
  CaseOutcome failed;
  failed.ending = Ending::failed;
  failed.failure = CaseFailure{"setup", "no", {}, {}};
  progress.finished("a", failed);
  EXPECT_EQ(said(), "\r\033[K[1/8] failed a: no\n\r\033[K[1/8] 1 failed · 2 s · counting b (CPU 1,2)");
  progress.close();
  EXPECT_EQ(said(), "\r\033[K");
}

TEST_F(ProgressTest, TheTimeLeftFollowsThePaceOfEachMode) {
  Progress progress = this->progress(ProgressStyle::live, 10);
  progress.plan(Mode::counts, 10);
  progress.plan(Mode::wall, 10);
  session(progress, "0", Mode::counts, 2);
  session(progress, "1", Mode::counts, 2);
  progress.session("2", Mode::counts, {0});
  EXPECT_THAT(said(), Not(HasSubstr("left"))) << "two are not enough to tell";
  now_ += seconds(2);
  progress.session_end("2", Mode::counts);
  progress.session("3", Mode::counts, {0});
  // 2 s each: 7 more counts, and 10 times of which nothing better is known.
  EXPECT_THAT(said(), HasSubstr("· 34 s left ·"));
  now_ += seconds(2);
  progress.session_end("3", Mode::counts);
  for (int i = 4; i < 10; ++i) session(progress, std::to_string(i), Mode::counts, 2);
  for (int i = 0; i < 4; ++i) session(progress, std::to_string(i), Mode::wall, 30);
  said();
  progress.session("4", Mode::wall, {0});
  EXPECT_THAT(said(), HasSubstr("· 3:00 min left ·")) << "6 times at 30 s";
}

TEST_F(ProgressTest, TheLiveLineIsCutBeforeTheEdgeAtAWholeCharacter) {
  Progress progress = this->progress(ProgressStyle::live, 1, 30);
  progress.session("äääääääääääääääääääääää", Mode::wall, {0});
  const std::string text = said();
  EXPECT_LE(text.size(), std::string("\r\033[K").size() + 29);
  EXPECT_THAT(text, EndsWith("ä"));
}

TEST_F(ProgressTest, ElsewhereThereIsALineACase) {
  Progress progress = this->progress(ProgressStyle::lines, 3);
  progress.skip(1);
  progress.session("a", Mode::wall, {0});
  EXPECT_EQ(said(), "");
  progress.finished("a", ok());
  EXPECT_EQ(said(), "[2/3] ok a\n");
  Progress quiet = this->progress(ProgressStyle::quiet, 3);
  quiet.finished("a", ok());
  quiet.message("no");
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace tally::cli
