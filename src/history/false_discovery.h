/// Selects p-values so that a known share of those selected is false, on average: the procedure of Benjamini & Hochberg
/// (1995). Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace tally {

/// The greatest p-value that is a discovery among `tests` tests at this rate, or -1 where none is. `p_values` are those
/// that may be discoveries; the other tests count as 1, so the family is all that was looked at, not all that was
/// found.
double discovery_limit(std::vector<double> p_values, std::size_t tests, double rate);

}  // namespace tally
