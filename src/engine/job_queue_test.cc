#include "engine/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const HostKind kCounted{"cpp", Language::cpp, true};
const HostKind kTimed{"cpp", Language::cpp, false};

bool all(std::size_t) { return true; }

class JobQueueTest : public ::testing::Test {
 protected:
  JobQueueTest() {
    for (const std::size_t i : {0, 1, 2}) queue_.add(kCounted, {.index = i});
    for (const std::size_t i : {0, 1, 2}) queue_.add(kTimed, {.index = i, .mode = Mode::wall});
  }
  JobQueue queue_{3};
};

TEST_F(JobQueueTest, NothingIsTakenBeforeItIsBuilt) {
  EXPECT_THAT(queue_.kinds(), IsEmpty());
  EXPECT_TRUE(queue_.wants(kCounted));
  queue_.release([](std::size_t i) { return i == 1; });
  ASSERT_THAT(queue_.kinds(), ElementsAre(kCounted, kTimed));
  EXPECT_EQ(queue_.take(kCounted).index, 1U);
  EXPECT_THAT(queue_.kinds(), ElementsAre(kTimed));
}

TEST_F(JobQueueTest, WhatIsBuiltLaterTakesItsOwnPlace) {
  queue_.release([](std::size_t i) { return i == 2; });
  queue_.release(all);
  EXPECT_EQ(queue_.take(kCounted).index, 0U);
  EXPECT_EQ(queue_.take(kCounted).index, 1U);
  EXPECT_EQ(queue_.take(kCounted).index, 2U);
  EXPECT_FALSE(queue_.wants(kCounted));
}

TEST_F(JobQueueTest, ARetryGoesFirst) {
  queue_.release(all);
  Job job = queue_.take(kTimed);
  queue_.put_back(kTimed, job);
  EXPECT_THAT(queue_.kinds(), ElementsAre(kTimed, kCounted));
  EXPECT_EQ(queue_.first(kTimed).index, 0U);
  EXPECT_EQ(queue_.queued(0), 2);
}

TEST_F(JobQueueTest, WhatIsNotDueLetsOthersGoFirst) {
  queue_.release(all);
  Job job = queue_.take(kCounted);
  const Clock::time_point now = Clock::time_point(Milliseconds(5000));
  job.not_before = now + Milliseconds(10);
  queue_.put_back(kCounted, job);
  EXPECT_EQ(queue_.release_due(now), job.not_before);
  EXPECT_EQ(queue_.left(kCounted), 3U);
  EXPECT_EQ(queue_.take(kCounted).index, 1U);
  EXPECT_EQ(queue_.take(kCounted).index, 2U);
  EXPECT_THAT(queue_.kinds(), ElementsAre(kTimed));
  EXPECT_TRUE(queue_.wants(kCounted));
  EXPECT_FALSE(queue_.release_due(job.not_before));
  EXPECT_THAT(queue_.kinds(), ElementsAre(kCounted, kTimed));
  EXPECT_EQ(queue_.take(kCounted).index, 0U);
  EXPECT_FALSE(queue_.wants(kCounted));
}

TEST_F(JobQueueTest, WhatIsNotDueCanBeDropped) {
  queue_.release(all);
  Job job = queue_.take(kCounted);
  job.not_before = Clock::time_point(Milliseconds(10));
  queue_.put_back(kCounted, job);
  EXPECT_EQ(queue_.drop(0), 2);
  EXPECT_FALSE(queue_.release_due(Clock::time_point()));
  EXPECT_EQ(queue_.left(kCounted), 2U);
}

TEST_F(JobQueueTest, ADroppedCaseIsGoneWhereverItLies) {
  queue_.release([](std::size_t i) { return i != 2; });
  EXPECT_EQ(queue_.drop(0), 2);
  EXPECT_EQ(queue_.drop(2), 2);
  EXPECT_EQ(queue_.take(kCounted).index, 1U);
  EXPECT_FALSE(queue_.wants(kCounted));
  EXPECT_EQ(queue_.take(kTimed).index, 1U);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(JobQueueTest, WhatIsHeldIsNotTakenUntilItIsReleased) {
  queue_.release(all);
  queue_.hold([](const Job& job) { return job.mode == Mode::counts && job.index != 1; });
  EXPECT_EQ(queue_.take(kCounted).index, 1U);
  EXPECT_THAT(queue_.kinds(), ElementsAre(kTimed));
  EXPECT_TRUE(queue_.wants(kCounted)) << "its host must stay";
  queue_.release_held();
  EXPECT_EQ(queue_.take(kCounted).index, 0U) << "in its own place";
  EXPECT_EQ(queue_.take(kCounted).index, 2U);
}

TEST_F(JobQueueTest, WhatIsHeldCanBeDroppedWithoutTheRestOfItsCase) {
  queue_.release(all);
  queue_.hold([](const Job& job) { return job.mode == Mode::counts; });
  EXPECT_EQ(queue_.drop(2), 2) << "given up meanwhile";
  EXPECT_THAT(queue_.drop_held(), ElementsAre(0, 1));
  EXPECT_EQ(queue_.queued(0), 1);
  EXPECT_FALSE(queue_.wants(kCounted));
  EXPECT_EQ(queue_.take(kTimed).index, 0U);
}

TEST_F(JobQueueTest, ClearLeavesNothing) {
  queue_.clear();
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.queued(1), 0);
}

}  // namespace
}  // namespace tally
