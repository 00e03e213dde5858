#include "history/ledger.h"

#include <algorithm>

#include "base/text.h"

namespace tally {
namespace {

bool holds(const Acceptance& one, std::string_view id, double change, std::string_view today) {
  // The epsilon keeps "+1%" from failing at exactly one percent.
  return one.metric == Metric::instructions && one.expires >= today && glob_match(one.cases, id) &&
         change <= one.up_to + 1e-12;
}

}  // namespace

const Acceptance* acceptance_of(std::string_view id, const CountStep& step, std::span<const CommitName> candidates,
                                const std::vector<Acceptance>& accepted, std::string_view today) {
  const auto found = std::ranges::find_if(accepted, [&](const Acceptance& one) {
    const bool of_these = one.commit.empty() || std::ranges::any_of(candidates, [&](const CommitName& commit) {
                            return commit.id.starts_with(one.commit);
                          });
    return of_these && holds(one, id, step.counts.change, today);
  });
  return found == accepted.end() ? nullptr : &*found;
}

const Acceptance* acceptance_of(std::string_view id, const Drift& drift, const std::vector<Acceptance>& accepted,
                                std::string_view today) {
  const auto found = std::ranges::find_if(accepted, [&](const Acceptance& one) {
    return one.commit.empty() && holds(one, id, drift.counts.change, today);
  });
  return found == accepted.end() ? nullptr : &*found;
}

}  // namespace tally
