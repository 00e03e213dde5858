/// What a process reads where the hosts' library answers, natively.
#include "entropy.h"

#include <gtest/gtest.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>

#include "protocol/entropy_stream.h"
#include "shared_page.h"

namespace tally::host {
namespace {

using Bytes = std::array<unsigned char, 20>;

Bytes asked() {
  Bytes bytes{};
  EXPECT_EQ(::getrandom(bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

Bytes asked_by_child(bool kept) {
  Bytes bytes{};
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  if (kept) entropy::keep_over_fork();
  if (::fork() == 0) {
    if (kept) entropy::continue_after_fork();
    const Bytes own = asked();
    ::_exit(::write(ends[1], own.data(), own.size()) == static_cast<ssize_t>(own.size()) ? 0 : 1);
  }
  EXPECT_EQ(::read(ends[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::wait(nullptr);
  for (const int end : ends) ::close(end);
  return bytes;
}

class EntropyTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_page();  // before anything is forked, as a host does it
    entropy::prepare();
  }
  void SetUp() override { entropy::begin(false); }
};

TEST_F(EntropyTest, ACaseReadsWhatTheCounterWouldAnswer) {
  Bytes expected{};
  EntropyStream{}.fill(expected.data(), expected.size());
  EXPECT_EQ(asked(), expected);
  EXPECT_NE(asked(), expected);
  entropy::begin(false);
  EXPECT_EQ(::getentropy(expected.data(), expected.size()), 0);
  entropy::begin(false);
  EXPECT_EQ(asked(), expected);
}

TEST_F(EntropyTest, RandomDevicesDrawTheSame) {
  const unsigned first = std::random_device()();
  entropy::begin(false);
  EXPECT_EQ(std::random_device()(), first);
}

TEST_F(EntropyTest, AForkedProcessHasBytesOfItsOwnUnlessItIsTheSameState) {
  const Bytes child = asked_by_child(false);
  const Bytes sibling = asked_by_child(false);
  const Bytes kept = asked_by_child(true);
  const Bytes own = asked();
  EXPECT_NE(child, sibling);
  EXPECT_NE(child, own);
  EXPECT_EQ(kept, own);
}

TEST_F(EntropyTest, TheSystemAnswersWhereItIsAskedTo) {
  entropy::begin(true);
  const Bytes first = asked();
  entropy::begin(true);
  EXPECT_NE(asked(), first);
}

}  // namespace
}  // namespace tally::host
