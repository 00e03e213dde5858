#include "history/false_discovery.h"

#include <algorithm>

namespace tally {

double discovery_limit(std::vector<double> p_values, std::size_t tests, double rate) {
  std::ranges::sort(p_values);
  const auto family = static_cast<double>(std::max(tests, p_values.size()));
  for (std::size_t i = p_values.size(); i > 0; --i) {
    if (p_values[i - 1] <= rate * static_cast<double>(i) / family) return p_values[i - 1];
  }
  return -1;
}

}  // namespace tally
