/// The profiles of one run, kept for the client that measured: which functions a case's counts are in.
///
/// Owns a folder with them. Raw totals of one replicate, as callgrind_annotate names functions.
#pragma once

#include <map>
#include <string>

#include "base/files.h"
#include "json/value.h"
#include "record/record.h"
#include "run/run.h"

namespace tally::serve {

class CaseProfiles {
 public:
  /// Below this folder. `calls`: they know who calls whom.
  static Result<CaseProfiles> make(const std::filesystem::path& scratch, bool calls);

  /// What is to be requested of a run.
  [[nodiscard]] ProfileRequest request() const;
  /// A case of that run is finished.
  void add(const CaseRecord& record);

  /// "case", "iterations", "replicate_totals", "statement" and "baseline". An error: there is none of this case. Where
  /// calls are known, each side has its "inclusive" counts and a call tree, too: nodes [parent, self, total, name],
  /// numbered from 1 (parent 0 is the root above all). `callgrind`: the statement's has its "callgrind", too, the text
  /// of such a file.
  [[nodiscard]] Result<json::Object> of(const std::string& case_id, bool callgrind = false) const;

 private:
  CaseProfiles(TemporaryFolder folder, bool calls) : folder_(std::move(folder)), calls_(calls) {}
  [[nodiscard]] Result<json::Object> side(const std::string& file, const std::vector<std::uint64_t>& totals,
                                          bool callgrind) const;

  TemporaryFolder folder_;
  bool calls_;
  std::map<std::string, Counts> counts_;
};

}  // namespace tally::serve
