/// Jobs of counts that are known already. They are held back until other cases have proved them: then they are dropped,
/// or released where a proof has failed.
///
/// Decides nothing itself: the observer says what is known, and whether it stands. Owns only what is being waited for.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "engine/case_book.h"
#include "engine/observer.h"

namespace tally {

class HeldCounts {
 public:
  /// Both outlive this.
  HeldCounts(CaseBook& book, ExecutionObserver& observer) : book_(book), observer_(observer) {}

  [[nodiscard]] bool decided(const HostKind& kind) const { return decided_.contains(kind); }
  /// A host of this kind is ready: holds what the observer knows.
  void decide(const HostKind& kind, const BuiltFiles& built);
  /// When every proof has been reported and no kind is `undecided`: drops what is held, or lets it go. True: it did.
  bool judge(const std::function<bool(const HostKind&)>& undecided);

 private:
  CaseBook& book_;
  ExecutionObserver& observer_;
  std::set<HostKind> decided_;
  bool holds_ = false;
  std::vector<std::size_t> proofs_;
};

}  // namespace tally
