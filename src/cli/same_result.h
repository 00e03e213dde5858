/// Whether both sides of a comparison compute the same: `tally ab --same-result`.
///
/// Owns the judgement of two texts that an examined execution left, and how it is told. Equal texts are the same only
/// when nothing of either had to be refused: what cannot be compared is said, never passed over.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "cli/measure.h"
#include "comparison/comparison.h"

namespace tally::cli {

enum class Sameness { same, differs, unknown };
std::string_view to_string(Sameness sameness);

struct ResultVerdict {
  std::string id;
  Sameness sameness = Sameness::unknown;
  std::string why;  ///< Of `unknown`.
  std::string a;    ///< Of `differs`: the first place where they differ, on each side.
  std::string b;
};

/// One side's case: a result, or why there is none.
struct SideResult {
  std::optional<StatementResult> result;
  std::string failure;
};

ResultVerdict judge_results(const std::string& id, const SideResult& a, const SideResult& b);

/// Of two examinations of the same plan, in its order.
std::vector<ResultVerdict> judge_results(const Measured& a, const Measured& b);

/// Each verdict on the case it is of.
void note_results(std::span<const ResultVerdict> verdicts, Comparison& comparison);

/// Every difference and everything unknown, then how many were the same.
void print_results(std::span<const ResultVerdict> verdicts, std::ostream& out);

}  // namespace tally::cli
