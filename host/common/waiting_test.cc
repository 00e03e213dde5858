/// What counts as waiting, over real threads.
#include "waiting.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace tally::host {
namespace {

using std::chrono::milliseconds;

TEST(Waiting, IsTimeAsleep) {
  std::uint64_t most = 0;  // of several: on a busy machine one may read less
  for (int i = 0; i < 100 && most < 29'000'000U; ++i) {
    const Waiting waiting;
    std::this_thread::sleep_for(milliseconds(30));
    most = std::max(most, waiting.so_far());
  }
  EXPECT_GE(most, 29'000'000U);
}

/// Threads that keep a processor busy, which the calling thread shares with them.
class BusyNeighbours {
 public:
  BusyNeighbours() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 3; ++i) {
      threads_.emplace_back([this] {
        while (!ends_) {
        }
      });
    }
  }
  BusyNeighbours(const BusyNeighbours&) = delete;
  BusyNeighbours& operator=(const BusyNeighbours&) = delete;
  ~BusyNeighbours() {
    ends_ = true;
    for (std::thread& one : threads_) one.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;
};

TEST(Waiting, IsNotTimeInAQueueForAProcessor) {
  const BusyNeighbours neighbours;
  std::uint64_t most = 0;
  const auto end = std::chrono::steady_clock::now() + milliseconds(1500);
  while (std::chrono::steady_clock::now() < end) {
    const Waiting waiting;
    most = std::max(most, waiting.so_far());
  }
  EXPECT_LT(most, 2'000'000U) << "it lost its processor for longer, and often between two looks";
}

}  // namespace
}  // namespace tally::host
