/// The records of parts of one plan into the record of that plan. Pure.
///
/// What belongs together is joined: parts of one plan, with one set of settings, by one tally, of one subject. Anything
/// else is refused, and says what differs. A part may be there several times, and so may its merged record: neither the
/// order of what is given nor how often it is given changes the result, and merging a result again changes nothing. Of
/// a case that was measured more than once the better attempt stays; its counts must agree to the instruction.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "record/part_text.h"
#include "record/record.h"

namespace tally {

struct MergeOptions {
  /// Parts may come from different environments: then each case names its own.
  bool per_environment = false;
};

/// A case of the merged record: which text it is, and what of it changes. Its profile is still where the part has it.
struct MergedCase {
  std::size_t input = 0;
  std::size_t index = 0;  ///< Among the cases of its part.
  CasePlace place;
};

struct Merged {
  Record head;                    ///< Without cases. Its `part` names what is missing.
  std::vector<MergedCase> cases;  ///< Those that are there, in the order of the plan.
  std::vector<int> unready;       ///< Of the missing parts, those that were given, but interrupted; rising.
};

/// The text of a case of an input. Called for cases that were measured more than once.
using CaseTextLoader = std::function<Result<std::string>(std::size_t input, std::size_t index)>;

/// An error: (input) they do not belong together; (failed) two counts of one case in one environment differ, which must
/// not be; what `load` says.
Result<Merged> merge(const std::vector<PartText>& inputs, const MergeOptions& options, const CaseTextLoader& load);

}  // namespace tally
