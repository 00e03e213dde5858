#include "cpu/lease_queue.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/files.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LeaseQueueTest : public testing::Test {
 protected:
  LeaseQueueTest()
      : folder_(TemporaryFolder::make().value()), opened_(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY)) {}
  LeaseQueue queue() { return {opened_.get(), folder_.path().string()}; }

  /// A process that stands in line until it is ended.
  pid_t another() {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      LeaseQueue theirs = queue();
      const char letter = theirs.enter() ? 'y' : 'n';
      if (::write(ready[1], &letter, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char letter = 0;
    EXPECT_EQ(::read(ready[0], &letter, 1), 1);
    EXPECT_EQ(letter, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
    return pid;
  }
  static void end(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  TemporaryFolder folder_;
  UniqueFd opened_;
};

TEST_F(LeaseQueueTest, WhoComesFirstGoesFirst) {
  LeaseQueue first = queue();
  LeaseQueue second = queue();
  EXPECT_THAT(first.ahead(), IsEmpty());
  ASSERT_TRUE(first.enter());
  EXPECT_THAT(first.ahead(), IsEmpty());
  EXPECT_THAT(second.ahead(), ElementsAre(::getpid())) << "who has no ticket sees everybody";
  ASSERT_TRUE(second.enter());
  ASSERT_TRUE(first.enter()) << "nobody loses a place by asking again";
  EXPECT_THAT(first.ahead(), IsEmpty());
  EXPECT_THAT(second.ahead(), ElementsAre(::getpid()));
  first.leave();
  EXPECT_THAT(second.ahead(), IsEmpty());
  ASSERT_TRUE(first.enter());
  EXPECT_THAT(first.ahead(), ElementsAre(::getpid())) << "it comes last now";
}

TEST_F(LeaseQueueTest, AKilledProcessStandsInNobodysWay) {
  const pid_t one = another();
  const pid_t two = another();
  LeaseQueue ours = queue();
  ASSERT_TRUE(ours.enter());
  EXPECT_THAT(ours.ahead(), ElementsAre(one, two));
  end(one);
  EXPECT_THAT(ours.ahead(), ElementsAre(two));
  end(two);
  EXPECT_THAT(ours.ahead(), IsEmpty());
}

TEST_F(LeaseQueueTest, AStoppedProcessIsPassedOver) {
  const pid_t one = another();
  LeaseQueue ours = queue();
  ASSERT_TRUE(ours.enter());
  ::kill(one, SIGSTOP);
  int status = 0;
  ::waitpid(one, &status, WUNTRACED);
  EXPECT_THAT(ours.ahead(), IsEmpty());
  ::kill(one, SIGCONT);
  ::waitpid(one, &status, WCONTINUED);
  EXPECT_THAT(ours.ahead(), ElementsAre(one));
  end(one);
}

TEST_F(LeaseQueueTest, OthersSeeWhichCpusAreWanted) {
  LeaseQueue ours = queue();
  LeaseQueue theirs = queue();
  ASSERT_TRUE(theirs.enter());
  theirs.want(CpuSet({{2}, {65535}}));
  EXPECT_TRUE(ours.is_wanted_by_others({2}));
  EXPECT_TRUE(ours.is_wanted_by_others({65535}));
  EXPECT_FALSE(ours.is_wanted_by_others({1}));
  EXPECT_FALSE(theirs.is_wanted_by_others({2}));
  EXPECT_TRUE(theirs.wants({2}));
  EXPECT_THAT(ours.ahead(), ElementsAre(::getpid())) << "a CPU's byte is no ticket";
  theirs.want(CpuSet({{1}}));
  EXPECT_FALSE(ours.is_wanted_by_others({2}));
  EXPECT_TRUE(ours.is_wanted_by_others({1}));
  theirs.leave();
  EXPECT_FALSE(ours.is_wanted_by_others({1}));
  EXPECT_FALSE(theirs.wants({1}));
}

TEST_F(LeaseQueueTest, AFileThatWasRemovedIsMadeAgain) {
  LeaseQueue ours = queue();
  ASSERT_TRUE(ours.enter());
  std::filesystem::remove(folder_.path() / "queue");
  LeaseQueue theirs = queue();
  ASSERT_TRUE(theirs.enter());
  EXPECT_THAT(ours.ahead(), ElementsAre(::getpid()));
  EXPECT_FALSE(ours.is_in()) << "its place is gone with the file";
  ASSERT_TRUE(ours.enter());
  EXPECT_THAT(ours.ahead(), ElementsAre(::getpid()));
}

}  // namespace
}  // namespace tally
