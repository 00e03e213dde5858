#include "use.h"

#include <algorithm>

namespace tally::host {

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::uint64_t median_ns(std::vector<double> seconds) {
  if (seconds.empty()) return 0;
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  const double middle = seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return static_cast<std::uint64_t>(middle * 1e9);
}

}  // namespace

void UseMeter::add(const rusage& used, int exit_code) {
  user_s_.push_back(seconds(used.ru_utime));
  system_s_.push_back(seconds(used.ru_stime));
  peak_bytes_ = std::max(peak_bytes_, static_cast<std::uint64_t>(used.ru_maxrss) * 1024);
  exit_codes_[static_cast<std::uint8_t>(exit_code)] = true;
}

Use UseMeter::of_one() const {
  return {.is_known = !user_s_.empty(),
          .user_ns = median_ns(user_s_),
          .system_ns = median_ns(system_s_),
          .peak_bytes = peak_bytes_,
          .exit_codes = exit_codes_};
}

}  // namespace tally::host
