#include "engine/hosts_estimate.h"

#include <fmt/format.h>

#include <cmath>

namespace tally {

namespace {

/// "52 s", "1 h 10 min".
std::string rough_time(double seconds) {
  constexpr double kMinute = 60;
  constexpr long kMuch = 100;
  if (seconds < static_cast<double>(kMuch)) return fmt::format("{:.0f} s", seconds);
  const long minutes = std::lround(seconds / kMinute);
  if (minutes < kMuch) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

std::string hosts_estimate(std::size_t left, std::size_t at_once, double each_s) {
  const std::size_t rounds = (left + at_once - 1) / at_once;
  return fmt::format(
      "each of the {} {} left starts a host of its own: {} each, about {} for all; Ctrl-C ends the run and keeps "
      "what is measured, --filter chooses fewer cases",
      left, left == 1 ? "that is" : "that are", rough_time(each_s), rough_time(each_s * static_cast<double>(rounds)));
}

}  // namespace tally
