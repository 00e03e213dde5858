#include "history/ledger.h"

#include <algorithm>

namespace tally {
namespace {

bool holds(const Acceptance& one, std::string_view id, double change, std::string_view today) {
  return one.metric == Metric::instructions && one.holds_on(today) && one.is_about(id) && one.allows(change);
}

}  // namespace

const Acceptance* acceptance_of(const CountStep& step, std::span<const CommitName> candidates,
                                const std::vector<Acceptance>& accepted, std::string_view today) {
  const auto found = std::ranges::find_if(accepted, [&](const Acceptance& one) {
    const bool of_these = one.commit.empty() || std::ranges::any_of(candidates, [&](const CommitName& commit) {
                            return commit.id.starts_with(one.commit);
                          });
    return of_these && holds(one, step.id, step.counts.change, today);
  });
  return found == accepted.end() ? nullptr : &*found;
}

const Acceptance* acceptance_of(const Drift& drift, const std::vector<Acceptance>& accepted, std::string_view today) {
  const auto found = std::ranges::find_if(accepted, [&](const Acceptance& one) {
    return one.commit.empty() && holds(one, drift.id, drift.counts.change, today);
  });
  return found == accepted.end() ? nullptr : &*found;
}

}  // namespace tally
