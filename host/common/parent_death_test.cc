/// A process that ends with its parent.
#include "parent_death.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tally::host {
namespace {

/// Waits until nobody holds the pipe's other end.
bool closes(int pipe) {
  pollfd ready{pipe, POLLIN, 0};
  return ::poll(&ready, 1, 20'000) == 1 && (ready.revents & POLLHUP) != 0;
}

TEST(DieWith, EndsAChildWhoseParentIsKilled) {
  int alive[2];
  ASSERT_EQ(::pipe(alive), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t self = ::getpid();
    if (::fork() == 0) {
      die_with(self);
      if (::write(alive[1], "x", 1) != 1) ::_exit(2);
    }
    for (;;) ::pause();
  }
  ::close(alive[1]);
  char begun = 0;
  ASSERT_EQ(::read(alive[0], &begun, 1), 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(closes(alive[0]));
}

TEST(DieWith, EndsAtOnceWhereTheParentIsGone) {
  const pid_t child = ::fork();
  if (child == 0) {
    die_with(::getppid() + 1);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace tally::host
