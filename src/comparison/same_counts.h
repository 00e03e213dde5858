/// Whether two records read the same, to the instruction: of the same code they do, on every machine. Pure.
///
/// Two counts are the same when the executions of a region, each phase's replicates and so the result are. Nothing is
/// taken for noise.
#pragma once

#include <string>
#include <vector>

#include "comparison/comparison.h"

namespace tally {

struct SameCounts {
  std::size_t equal = 0;
  std::vector<const CaseComparison*> moved;  ///< Largest relative change first.
  /// Cases that say nothing: one side has no count, or was counted otherwise; with the reason.
  std::vector<std::pair<const CaseComparison*, std::string>> unjudged;
  /// What differs between the two sides of cases that moved: "glibc: 2.36 → 2.41". Each once.
  std::vector<std::string> differences;

  [[nodiscard]] std::size_t judged() const { return equal + moved.size(); }
};

/// The result points into `comparison`.
SameCounts same_counts_of(const Comparison& comparison);

/// "181 of 181 equal" and `what` ("to base.json"), and a line or more for each case that is not. Ends with a line
/// break.
std::string to_text(const SameCounts& same, const std::string& what = {});

/// What commands that judge by this exit with: 0, all are equal; 3, some are not; 2, none is unequal, and some or all
/// were not compared.
int exit_code_of(const SameCounts& same);

}  // namespace tally
