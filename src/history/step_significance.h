/// The probability that two neighbouring stretches of a series would differ so much if nothing had changed. Pure and
/// deterministic: no permutations are drawn.
///
/// The test of Mann and Whitney compares ranks, so it holds for noise of any distribution, as long as any order of the
/// runs is equally likely. How small its p-value can be depends on the number of runs only: of four beside four it is
/// 1 in 35, however far apart they are. So where no value of one stretch reaches into the other, from five values on
/// either side, the smaller of it and Welch's counts, which takes the distance for evidence. It was that, or nothing at
/// all about a step of 30 % in a history of ten runs. The price: noise that has two levels looks like a step in very
/// short series (docs/guides/history.md has the figures).
///
/// Noise that persists from run to run (a warm room, a neighbour that stays) makes fewer independent runs of many. How
/// much it does is estimated from the same values: where 60 % of the noise was that of the run before, 185 cases of
/// 1,000 runs in which nothing changed had 6.3 nominations each without that, and 0.16 with it.
///
/// The cut was looked for, so a p-value of it alone is too small: `searched` gives that of the best of all cuts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tally {

/// Of the pairs of a value before `at` and one from there on, how many have the greater one first; equal values count
/// half. `ranks` are those of history/energy_split.h.
double inversions(std::span<const std::int32_t> ranks, std::size_t at);

/// Two-sided, of stretches with so many values. Exact where it matters (p-values below 0.01, or below 0.1 with fewer
/// than 8 values in the shorter stretch), up to 20 values; the normal approximation otherwise. 1 where a stretch is
/// empty.
double mann_whitney_p(double inversions, std::size_t before, std::size_t after);

/// Two-sided, of unequal variances; 1 where a stretch has fewer than two values, or nothing varies in either: then
/// there is nothing that the distance could be measured by.
double welch_p(std::span<const double> before, std::span<const double> after);

/// The probability that any of the cuts of `size` values, with `least` on either side at the least, has a p-value of
/// `p` or less: Worsley's bound (1982, Biometrika 69), which knows how alike neighbouring cuts are. Cuts whose ranks
/// cannot reach `p` are no chance of it. 1 where it would be more than 0.1.
double searched(double p, std::size_t size, std::size_t least);

/// How much of a run's noise is that of the run before it: the correlation of neighbours' ranks on either side of the
/// cut, less its standard error; 0 at the least. `ranks` has values on both sides.
double noise_persistence(std::span<const std::int32_t> ranks, std::size_t at);

/// What the top says, of the cut before `values[at]`, that was looked for among all of `values`. `persistence`: of
/// their noise; where another step may be among them, it is not known, and 0 has to do.
double step_p_value(std::span<const double> values, std::span<const std::int32_t> ranks, std::size_t at,
                    std::size_t least, double persistence);

}  // namespace tally
