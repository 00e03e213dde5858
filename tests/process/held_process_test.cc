/// What a process holds of another one's child: signals to it and its tree, its memory, and never a stranger's.
#include "process/held_process.h"

#include <sys/wait.h>

#include <csignal>

#include "process/harness.h"
#include "process/spawn.h"

namespace tally::testing {
namespace {

class HeldProcessTest : public ProcessTest {
 protected:
  int start(const std::string& name, std::vector<std::string> arguments = {}) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    out_.reset(ends[0]);
    const UniqueFd theirs(ends[1]);
    arguments.insert(arguments.begin(), victim(name));
    const Result<Spawned> child = spawn({.path = victim(name),
                                         .argv = arguments,
                                         .environment = {mark_},
                                         .fds = {{1, theirs.get()}, {2, STDERR_FILENO}}});
    EXPECT_TRUE(child);
    return child ? child->pid : -1;
  }
  /// Reads until so many lines have come.
  void wait_for_lines(int lines) const {
    char byte = 0;
    while (lines > 0 && ::read(out_.get(), &byte, 1) == 1) lines -= byte == '\n' ? 1 : 0;
  }
  UniqueFd out_;
};

TEST_F(HeldProcessTest, MemoryThatForksShareCountsOnce) {
  const int pid = start("eats_memory", {"64", "4"});
  wait_for_lines(5);
  const std::unique_ptr<ChildHandle> child = runner_.hold(pid, getpid());
  ASSERT_NE(child, nullptr);
  const std::uint64_t seen = child->growth_bytes(1ULL << 20);
  EXPECT_GT(seen, 32ULL << 20);
  EXPECT_LT(seen, 128ULL << 20);
  EXPECT_EQ(child->signal_tree(SIGKILL), 5);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(child->growth_bytes(0), 0U);
  EXPECT_TRUE(all_gone(mark_, kPatience)) << "its own children are not ours to wait for";
}

TEST_F(HeldProcessTest, NothingIsSentAfterItsEnd) {
  const int pid = start("spins");
  EXPECT_EQ(runner_.hold(pid, 1), nullptr) << "no child of that one";
  const std::unique_ptr<ChildHandle> child = runner_.hold(pid, getpid());
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->pid(), pid);
  EXPECT_TRUE(child->signal(SIGTERM));
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(child->signal(SIGTERM)) << "a zombie";
  EXPECT_EQ(child->signal_tree(SIGTERM), 0);
  EXPECT_EQ(runner_.hold(pid, getpid()), nullptr);
  waitpid(pid, nullptr, 0);
}

TEST_F(HeldProcessTest, SaysHowLongItHasWaitedForItsProcessor) {
  const int one = start("spins");
  const int other = start("spins");
  cpu_set_t shared;
  CPU_ZERO(&shared);
  CPU_SET(sched_getcpu(), &shared);
  for (const int pid : {one, other}) EXPECT_EQ(sched_setaffinity(pid, sizeof shared, &shared), 0);
  const std::unique_ptr<ChildHandle> child = runner_.hold(one, getpid());
  ASSERT_NE(child, nullptr);
  const Clock::time_point end = Clock::now() + kPatience;
  while (child->queued_time() < Milliseconds(100) && Clock::now() < end) std::this_thread::sleep_for(Milliseconds(10));
  EXPECT_GE(child->queued_time(), Milliseconds(100));
  for (const int pid : {one, other}) {
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(child->queued_time(), Milliseconds(0));
}

}  // namespace
}  // namespace tally::testing
