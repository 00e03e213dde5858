/// Binary search that begins where the last one ended: a trace's lookups come nearly in order.
#pragma once

#include <cstddef>
#include <span>

namespace tally::trace {

/// The partition point of `values`, as std::partition_point finds it: how many at the front `before` holds for, which
/// must be all up to some place and none after it. Costs the logarithm of its distance from `hint`, any number.
template <typename T, typename Before>
std::size_t partition_near(std::span<const T> values, std::size_t hint, Before before) {
  const std::size_t size = values.size();
  std::size_t low = hint < size ? hint : size;  // `before` holds below it, once it was looked at
  std::size_t high = low;                       // and not from there on
  if (low < size && before(values[low])) {
    std::size_t step = 1;
    do {
      low = high + 1;
      high = step < size - low ? low + step : size;
      step *= 2;
    } while (high < size && before(values[high]));
  } else {
    std::size_t step = 1;
    while (low > 0 && !before(values[low - 1])) {
      high = low - 1;
      low = step < high ? high - step : 0;
      step *= 2;
    }
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (before(values[middle])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tally::trace
