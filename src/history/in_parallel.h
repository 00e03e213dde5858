/// Pure work on many things, on all CPUs that this process may use.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tally {

/// Calls `work(0)` to `work(count - 1)`, each once, in no order, at once from several threads; returns when all are
/// done. `work` must not throw.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(count, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(take_turns);
  take_turns();
}

}  // namespace tally
