/// Chooses the counts that earlier records have and that need not be taken, and those that are taken nevertheless to
/// prove the others; then says whether they did.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/observer.h"
#include "record/reuse.h"
#include "reuse/count_inputs.h"

namespace tally {

class CountReuse {
 public:
  /// All outlive this. Of `earlier`, the first record that a case may be taken over from gives it. `cases` are those of
  /// the plan, described; `run` differs from run to run: its commit, else its date.
  CountReuse(std::span<const Record> earlier, const std::vector<CaseRecord>& cases, CountInputsFinder& inputs,
             std::string run);

  /// What a host of this kind would count that the records have already. `cases` are the places of its cases.
  KnownCounts decide(const std::vector<std::size_t>& cases, const BuiltFiles& built);

  /// A case was counted: compared, if it proves something. Marks what is refuted.
  void prove(std::size_t index, CaseRecord& counted);
  [[nodiscard]] bool stands() const { return refuted_.empty(); }
  /// A case that was not counted: its counts are the earlier ones.
  void take_over(std::size_t index, CaseRecord& record) const;

  /// Ids of cases that were counted again and are not as before.
  [[nodiscard]] const std::vector<std::string>& refuted() const { return refuted_; }
  /// What has come of it: "12 counts are reused; 1 counted again as proof, and equal; …".
  [[nodiscard]] std::string summary() const;

 private:
  struct Known {
    const CaseRecord* counted = nullptr;
    const Record* run = nullptr;
  };
  /// The first of those that fits, or why the newest does not.
  [[nodiscard]] std::expected<Known, std::string> find(std::size_t index, const MadeFiles& made) const;

  std::map<std::string_view, std::vector<Known>> earlier_;  ///< By id, in the order of the records.
  const std::vector<CaseRecord>& cases_;
  CountInputsFinder& inputs_;
  std::string run_;
  std::map<std::size_t, Known> reused_;
  std::map<std::size_t, Known> proofs_;
  std::map<std::string, std::size_t> refused_;  ///< Why → how many.
  std::size_t proved_ = 0;
  std::vector<std::string> refuted_;
};

}  // namespace tally
