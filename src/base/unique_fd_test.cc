#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>

namespace tally {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(UniqueFd, ClosesWhatItOwnsExactlyOnce) {
  int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  {
    UniqueFd first(raw);
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): the moved-from state is the contract
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, ReleaseGivesOwnershipAway) {
  UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int raw = fd.release();
  fd.reset();
  EXPECT_TRUE(is_open(raw));
  UniqueFd closer(raw);
}

}  // namespace
}  // namespace tally
