/// The texts of merged cases, one after another, read again from the parts that have them.
///
/// Cases that follow each other in a plan lie in different files: with one at a time, a merge of 100,000 opened as
/// many. So many are read at once as fit into 64 MiB, file by file. A text that is not what it was when its part was
/// read is an error.
#pragma once

#include <string>
#include <vector>

#include "record/merge.h"

namespace tally {

/// Of one case.
Result<std::string> case_text(const PartText& part, const CaseText& one);

class MergedTexts {
 public:
  /// Both outlive this.
  MergedTexts(const Merged& merged, const std::vector<PartText>& parts) : merged_(merged), parts_(parts) {}

  /// Of the case in this place, as its part has it. Places are to rise.
  Result<std::string> of(std::size_t place);

 private:
  Status read_from(std::size_t place);

  const Merged& merged_;
  const std::vector<PartText>& parts_;
  std::size_t begin_ = 0;
  std::vector<std::string> texts_;  ///< Of the places from `begin_` on.
};

}  // namespace tally
