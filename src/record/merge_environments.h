/// The environments of records that are to be merged: one, or several that each case then names. Internal to
/// src/record.
///
/// An environment that no host was started in (all cases failed before, or the run was interrupted) does not say what
/// hosts had mapped: it is one with any that says the same otherwise.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "record/part_text.h"

namespace tally {

class MergedEnvironments {
 public:
  /// An error: the subjects differ; or the environments, and they may not.
  static Result<MergedEnvironments> of(const std::vector<PartText>& inputs, bool may_differ);

  [[nodiscard]] const std::map<std::string, Environment>& all() const { return all_; }
  /// The environment that a case of an input was measured in; empty: its record names none.
  [[nodiscard]] std::string key_of(std::size_t input, const CaseText& one) const;
  /// The same where a merged record has to name it, as several have its name.
  [[nodiscard]] std::optional<std::string> named_key_of(std::size_t input, const CaseText& one) const;

 private:
  std::map<std::string, Environment> all_;
  std::vector<std::map<std::string, std::string>> keys_;  ///< Of each input: its key → the key in `all_`.
  std::map<std::string, bool> is_one_of_several_;         ///< By the key in `all_`.
};

}  // namespace tally
