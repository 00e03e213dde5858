/// Whether both sides of a comparison compute the same: the judgement of two texts that an examined execution left.
///
/// Equal texts are the same only
/// when nothing of either had to be refused: what cannot be compared is reported, never passed over.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/run.h"

namespace tally {

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
std::vector<ResultVerdict> judge_results(const ExaminationResult& a, const ExaminationResult& b);

}  // namespace tally
