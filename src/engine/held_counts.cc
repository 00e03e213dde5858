#include "engine/held_counts.h"

#include <algorithm>

namespace tally {

void HeldCounts::decide(const HostKind& kind, const BuiltFiles& built) {
  decided_.insert(kind);
  const KnownCounts known = observer_.known_counts(kind, built);
  if (known.cases.empty()) return;
  holds_ = true;
  proofs_.insert(proofs_.end(), known.proofs.begin(), known.proofs.end());
  const std::set<std::size_t> cases(known.cases.begin(), known.cases.end());
  // Times are taken; everything else that is done under Valgrind is part of a case's counts.
  book_.hold([&](const Job& job) { return is_under_valgrind(job.mode) && cases.contains(job.index); });
}

bool HeldCounts::judge(const std::function<bool(const HostKind&)>& undecided) {
  if (!holds_) return false;
  if (std::ranges::any_of(proofs_, [&](std::size_t index) { return book_.open(index); })) return false;
  if (std::ranges::any_of(book_.kinds(), undecided)) return false;
  holds_ = false;
  if (observer_.known_counts_stand()) {
    book_.drop_held();
  } else {
    book_.release_held();
  }
  return true;
}

}  // namespace tally
