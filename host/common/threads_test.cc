/// Which threads are bound to CPUs, over real threads.
#include "threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <functional>
#include <thread>

namespace tally::host {
namespace {

/// Sleeps between the tasks that it is given, as a worker of a pool does.
class Worker {
 public:
  Worker() {
    run([] {});
  }
  ~Worker() {
    generation_ = -1;
    generation_.notify_one();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run(std::function<void()> task) {
    task_ = std::move(task);
    const int mine = ++generation_;
    generation_.notify_one();
    for (int done = done_; done != mine; done = done_) done_.wait(done);
  }
  cpu_set_t cpus() {
    cpu_set_t cpus;
    run([&] { sched_getaffinity(0, sizeof cpus, &cpus); });
    return cpus;
  }

 private:
  void work() {
    for (int last = 0;;) {
      generation_.wait(last);
      last = generation_;
      if (last < 0) return;
      task_();
      done_ = last;
      done_.notify_one();
    }
  }

  std::function<void()> task_;
  std::atomic<int> generation_{0};
  std::atomic<int> done_{0};
  std::thread thread_{[this] { work(); }};
};

TEST(CountThreads, CountsThoseThatLive) {
  EXPECT_EQ(count_threads(), 1);
  const Worker one;
  const Worker another;
  EXPECT_EQ(count_threads(), 3);
}

class BindTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sched_getaffinity(0, sizeof before_, &before_);
    if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "one CPU is not enough for two threads";
    CPU_ZERO(&two_);
    for (int cpu = 0; CPU_COUNT(&two_) < 2; ++cpu) {
      if (CPU_ISSET(cpu, &before_) == 0) continue;
      CPU_SET(cpu, &two_);
      first_ = first_ < 0 ? cpu : first_;
    }
    sched_setaffinity(0, sizeof two_, &two_);
  }
  void TearDown() override { sched_setaffinity(0, sizeof before_, &before_); }

  static void let(Worker& worker) {
    for (int i = 0; i < 3; ++i) worker.run([] {});
    wait_until_others_sleep();
  }
  bool unbound(const cpu_set_t& cpus) const { return CPU_EQUAL(&cpus, &two_) != 0; }

  cpu_set_t before_;
  cpu_set_t two_;
  int first_ = -1;
};

TEST_F(BindTest, EachThreadThatWorksGetsACpuOfItsOwnAndTheOthersStay) {
  Worker idle;
  Worker working;
  wait_until_others_sleep();
  note_sleeps();
  let(working);
  setenv("OMP_PROC_BIND", "FALSE", 1);
  EXPECT_FALSE(bind_working_threads()) << "the user does not want it";
  unsetenv("OMP_PROC_BIND");
  EXPECT_TRUE(bind_working_threads());
  cpu_set_t own;
  sched_getaffinity(0, sizeof own, &own);
  EXPECT_EQ(CPU_COUNT(&own), 1);
  EXPECT_TRUE(CPU_ISSET(first_, &own));
  const cpu_set_t theirs = working.cpus();
  EXPECT_EQ(CPU_COUNT(&theirs), 1);
  EXPECT_FALSE(CPU_ISSET(first_, &theirs));
  EXPECT_TRUE(unbound(idle.cpus()));
}

TEST_F(BindTest, NoneWhereThereAreMoreThreadsThanCpusOrFewer) {
  Worker one;
  Worker another;
  wait_until_others_sleep();
  note_sleeps();
  EXPECT_FALSE(bind_working_threads()) << "only the calling one works";
  let(one);
  let(another);
  EXPECT_FALSE(bind_working_threads()) << "three threads, two CPUs";
  EXPECT_TRUE(unbound(one.cpus()));
}

TEST_F(BindTest, NoneWhereThreadsComeOrSomebodyElseHasBoundOne) {
  Worker one;
  wait_until_others_sleep();
  note_sleeps();
  let(one);
  {
    const Worker late;
    EXPECT_FALSE(bind_working_threads()) << "a thread has come";
  }
  note_sleeps();
  one.run([&] {
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    CPU_SET(first_, &chosen);
    sched_setaffinity(0, sizeof chosen, &chosen);
  });
  let(one);
  EXPECT_FALSE(bind_working_threads()) << "it has chosen its CPU itself";
}

}  // namespace
}  // namespace tally::host
