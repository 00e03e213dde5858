#include "session/timer_overhead.h"

#include <algorithm>
#include <ctime>

namespace tally {

double measure_timer_overhead() {
  double least = 1;
  for (int i = 0; i < 1000; ++i) {
    timespec a{};
    timespec b{};
    clock_gettime(CLOCK_MONOTONIC, &a);
    clock_gettime(CLOCK_MONOTONIC, &b);
    least =
        std::min(least, static_cast<double>(b.tv_sec - a.tv_sec) + static_cast<double>(b.tv_nsec - a.tv_nsec) * 1e-9);
  }
  return std::max(least, 1e-9);
}

}  // namespace tally
