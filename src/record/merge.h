/// The records of parts of one plan into the record of that plan. Pure.
///
/// What belongs together is joined: parts of one plan, with one set of settings, by one tally, of one subject. Anything
/// else is refused, and says what differs. A part may be there several times, and so may its merged record: neither the
/// order of what is given nor how often it is given changes the result, and merging a result again changes nothing. Of
/// a case that was measured more than once the better attempt stays; its counts must agree to the instruction.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "record/record.h"

namespace tally {

struct MergeInput {
  std::string name;  ///< A path, for errors.
  Record record;
};

struct MergeOptions {
  /// Parts may come from different environments: then each case names its own.
  bool per_environment = false;
};

struct Merged {
  /// Its `part` names what is missing; the cases are those that are there, in the order of the plan.
  Record record;
  std::vector<std::size_t> from;  ///< Of each case: the input that it comes from.
  std::vector<int> unready;       ///< Of the missing parts, those that were given, but interrupted; rising.
};

/// An error: (input) they do not belong together; (failed) two counts of one case in one environment differ, which must
/// not be.
Result<Merged> merge(std::vector<MergeInput> inputs, const MergeOptions& options);

}  // namespace tally
