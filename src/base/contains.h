/// Membership in a range: std::ranges::contains is C++23, and Debian 12's libstdc++ does not have it yet.
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace tally {

template <std::ranges::input_range Range, typename Value, typename Projection = std::identity>
bool contains(Range&& range, const Value& value, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

}  // namespace tally
