/// Prints what `tally ab --same-result` found: beside the cases of the comparison, and below it.
#pragma once

#include <iosfwd>
#include <span>

#include "comparison/comparison.h"
#include "run/same_result.h"

namespace tally::cli {

/// Each verdict on the case it is of.
void note_results(std::span<const ResultVerdict> verdicts, Comparison& comparison);

/// Every difference and everything unknown, then how many were the same.
void print_results(std::span<const ResultVerdict> verdicts, std::ostream& out);

}  // namespace tally::cli
