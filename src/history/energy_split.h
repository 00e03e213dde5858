/// Where a stretch of a series divides best: the divergence of E-divisive (Matteson & James, arXiv 1306.4933), with the
/// exponent 1, of every way to cut a stretch in two. Pure.
///
/// The divergence of two neighbours is their energy distance, twice the mean distance between them less the mean
/// distances inside them, times m n / (m + n). It is taken of ranks instead of values: a run ten times as slow as the
/// others is one rank higher, so it moves no cut, and seconds and nanoseconds cut alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tally {

/// Twice each value's rank among `values`, from 0; equal values, and those that differ by less than 1e-7 of themselves,
/// share the middle of theirs. Takes time by the square of their number, and little of it below a few hundred.
std::vector<std::int32_t> doubled_ranks(std::span<const double> values);

struct EnergySplit {
  std::size_t at = 0;     ///< The first place of the right part; 0 where the stretch is too short to be cut.
  double divergence = 0;  ///< In doubled ranks.
};

/// The cut with the greatest divergence that leaves `least` values on either side, one at least; the first of equal
/// ones. Takes time by the square of the length.
EnergySplit best_energy_split(std::span<const std::int32_t> ranks, std::size_t least);

}  // namespace tally
