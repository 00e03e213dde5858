/// Sorts rows by a small whole number: what a trace numbers (correlations, threads) is numbered from 0 on.
///
/// Takes time by the number of rows, and another column as long for as long as it lasts; comparing rows of which a
/// million are sorted takes five times as long.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "trace/column.h"

namespace tally::trace {

/// Equal ones keep their order. `key` gives 32 bits at most.
template <typename T, typename Key>
void sort_by_key(Column<T>& rows, Key key) {
  constexpr unsigned digit_bits = 11;  // As many places as are written to at once stay in a second-level cache.
  std::uint32_t greatest = 0;
  bool sorted = true;
  for (const T& row : rows) {
    sorted = sorted && greatest <= key(row);
    greatest = std::max<std::uint32_t>(greatest, key(row));
  }
  if (sorted) return;
  Column<T> other;
  other.resize(rows.size());
  for (unsigned shift = 0; shift < 32 && greatest >> shift != 0; shift += digit_bits) {
    const auto digit = [&](const T& row) { return key(row) >> shift & ((1U << digit_bits) - 1); };
    std::array<std::size_t, 1U << digit_bits> place{};
    for (const T& row : rows) ++place[digit(row)];
    std::size_t next = 0;
    for (std::size_t& one : place) next += std::exchange(one, next);
    for (const T& row : rows) other[place[digit(row)]++] = row;
    std::swap(rows, other);
  }
}

}  // namespace tally::trace
