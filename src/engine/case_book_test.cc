#include "engine/case_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using Next = CaseBook::Next;

const HostKind kCounted{"cpp", Language::cpp, true};
const HostKind kTimed{"cpp", Language::cpp, false};

class CaseBookTest : public ::testing::Test {
 protected:
  CaseBookTest() {
    for (const std::size_t i : {0, 1}) book_.add(kCounted, {.index = i});
    for (const std::size_t i : {0, 1}) book_.add(kTimed, {.index = i, .mode = Mode::wall});
    book_.release([](std::size_t) { return true; });
  }
  /// What a session leaves in the outcome, and the book's answer.
  Next end(const HostKind& kind, const Job& job, Ending ending, bool wants_another = false) {
    if (ending != Ending::ok) book_.outcome(job.index).failure = CaseFailure{.stage = "setup", .message = "no"};
    return book_.end(kind, job, ending, wants_another);
  }
  CaseBook book_{{RetryLimits{.after_timeout = 1, .after_lost_host = 2}, RetryLimits{0, 0}}};
};

TEST_F(CaseBookTest, ACaseIsSettledWhenItsLastJobIsDoneAndGivenOutOnce) {
  EXPECT_EQ(end(kCounted, book_.take(kCounted), Ending::ok), Next::nothing);
  EXPECT_EQ(book_.take_settled(), std::nullopt);
  EXPECT_TRUE(book_.open(0));
  EXPECT_EQ(end(kTimed, book_.take(kTimed), Ending::ok), Next::nothing);
  EXPECT_FALSE(book_.open(0));
  EXPECT_EQ(book_.take_settled(), 0U);
  EXPECT_EQ(book_.take_settled(), std::nullopt);
  EXPECT_EQ(book_.outcome(0).ending, Ending::ok);
}

TEST_F(CaseBookTest, ATimeoutIsTriedOnceMoreALostHostTwice) {
  EXPECT_EQ(end(kCounted, book_.take(kCounted), Ending::timed_out), Next::try_again);
  EXPECT_FALSE(book_.outcome(0).failure) << "what is tried again has not failed";
  EXPECT_EQ(end(kCounted, book_.take(kCounted), Ending::host_lost), Next::try_again);
  EXPECT_EQ(end(kCounted, book_.take(kCounted), Ending::host_lost), Next::try_again);
  const Job job = book_.take(kCounted);
  EXPECT_EQ(job.index, 0U) << "a retry goes first";
  EXPECT_EQ(end(kCounted, job, Ending::host_lost), Next::nothing);
  EXPECT_EQ(book_.take_settled(), 0U) << "its times are dropped";
  EXPECT_EQ(book_.outcome(0).ending, Ending::host_lost);
  EXPECT_TRUE(book_.outcome(0).failure);
}

TEST_F(CaseBookTest, EachCaseHasItsOwnRetries) {
  EXPECT_EQ(end(kCounted, book_.take(kCounted), Ending::ok), Next::nothing);
  const Job second = book_.take(kCounted);
  EXPECT_EQ(second.index, 1U);
  EXPECT_EQ(end(kCounted, second, Ending::timed_out), Next::nothing);
  EXPECT_EQ(book_.take_settled(), 1U);
  EXPECT_EQ(book_.outcome(1).ending, Ending::timed_out);
}

TEST_F(CaseBookTest, AFailureIsNeverTriedAgainAndWaitsForWhatStillRuns) {
  const Job counted = book_.take(kCounted);
  const Job timed = book_.take(kTimed);
  EXPECT_EQ(end(kCounted, counted, Ending::failed), Next::nothing);
  EXPECT_EQ(book_.take_settled(), std::nullopt) << "its times are being taken";
  EXPECT_EQ(end(kTimed, timed, Ending::ok), Next::nothing);
  EXPECT_EQ(book_.take_settled(), 0U);
  EXPECT_EQ(book_.outcome(0).ending, Ending::failed) << "good times do not undo it";
}

TEST_F(CaseBookTest, ANotYetProvenCountGetsAnotherSession) {
  EXPECT_EQ(end(kCounted, book_.take(kCounted), Ending::ok, true), Next::another_session);
  EXPECT_EQ(book_.first(kCounted).index, 0U);
}

TEST_F(CaseBookTest, ABuildFailureDropsEverythingOfItsCase) {
  book_.fail(1, {.stage = "build", .message = "error"}, Ending::failed);
  EXPECT_EQ(book_.take_settled(), 1U);
  EXPECT_EQ(book_.take(kCounted).index, 0U);
  EXPECT_FALSE(book_.wants(kCounted));
}

TEST_F(CaseBookTest, AnInterruptionLeavesWhatLostAJobWithoutResult) {
  const Job cut = book_.take(kCounted);    // case 0 still lacks its times
  const Job first = book_.take(kCounted);  // case 1,
  const Job second = [&] {                 // of which nothing waits any more
    Job job = book_.take(kTimed);
    return job.index == 1 ? job : (book_.end(kTimed, job, Ending::ok, false), book_.take(kTimed));
  }();
  (void)cut;
  book_.interrupt();
  EXPECT_TRUE(book_.nothing_left());
  EXPECT_EQ(end(kCounted, first, Ending::ok), Next::nothing);
  EXPECT_EQ(end(kTimed, second, Ending::ok), Next::nothing);
  EXPECT_EQ(book_.take_settled(), 1U) << "it had all of its jobs running";
}

TEST_F(CaseBookTest, WhatWouldBeTriedAgainIsCancelledByAnInterruption) {
  const Job counted = book_.take(kCounted);
  book_.interrupt();
  EXPECT_EQ(end(kCounted, counted, Ending::timed_out), Next::nothing);
  EXPECT_EQ(book_.take_settled(), std::nullopt);
  EXPECT_EQ(book_.outcome(0).ending, Ending::cancelled);
}

TEST_F(CaseBookTest, AGoodCountWhoseTimesWereCutIsNoResult) {
  const Job counted = book_.take(kCounted);
  book_.interrupt();
  EXPECT_EQ(end(kCounted, counted, Ending::ok), Next::nothing);
  EXPECT_EQ(book_.take_settled(), std::nullopt);
  EXPECT_EQ(book_.outcome(0).ending, Ending::cancelled);
}

}  // namespace
}  // namespace tally
