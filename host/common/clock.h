/// The monotonic clock. Owns nothing.
#pragma once

#include <cstdint>
#include <ctime>

namespace tally::host {

[[gnu::always_inline]] inline std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace tally::host
