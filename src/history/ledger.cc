#include "history/ledger.h"

#include <algorithm>
#include <ranges>

namespace tally {
namespace {

bool agrees(const Acceptance& one, std::string_view id, const CountChange& counts) {
  return one.metric == counts.metric && one.is_about(id) && one.allows(counts.change);
}

bool agrees(const Acceptance& one, std::string_view id, const CountStep& step, std::span<const CommitName> candidates) {
  const bool of_these = one.commit.empty() || std::ranges::any_of(candidates, [&](const CommitName& commit) {
                          return commit.id.starts_with(one.commit);
                        });
  return of_these && agrees(one, id, step.counts);
}

template <typename Predicate>
const Acceptance* first_of(const std::vector<Acceptance>& accepted, Predicate predicate) {
  const auto found = std::ranges::find_if(accepted, predicate);
  return found == accepted.end() ? nullptr : &*found;
}

}  // namespace

const Acceptance* acceptance_of(std::string_view id, const CountStep& step, std::span<const CommitName> candidates,
                                const std::vector<Acceptance>& accepted, std::string_view today) {
  return first_of(accepted,
                  [&](const Acceptance& one) { return one.holds_on(today) && agrees(one, id, step, candidates); });
}

const Acceptance* acceptance_of(std::string_view id, const Drift& drift, const std::vector<Acceptance>& accepted,
                                std::string_view today) {
  return first_of(accepted, [&](const Acceptance& one) {
    return one.holds_on(today) && one.commit.empty() && agrees(one, id, drift.counts);
  });
}

const Acceptance* expired_acceptance_of(std::string_view id, const CountStep& step,
                                        std::span<const CommitName> candidates, const std::vector<Acceptance>& accepted,
                                        std::string_view today) {
  return first_of(accepted,
                  [&](const Acceptance& one) { return !one.holds_on(today) && agrees(one, id, step, candidates); });
}

const Acceptance* expired_acceptance_of(std::string_view id, const Drift& drift,
                                        const std::vector<Acceptance>& accepted, std::string_view today) {
  return first_of(accepted,
                  [&](const Acceptance& one) { return !one.holds_on(today) && agrees(one, id, drift.counts); });
}

std::vector<AgreedAt> agreed_along(const CommitLine& line, const std::vector<Acceptance>& accepted,
                                   std::string_view today) {
  std::vector<AgreedAt> agreed;
  for (const Acceptance& one : accepted) {
    if (one.commit.empty() || !one.holds_on(today)) continue;
    const auto named = [&](const CommitName& commit) { return commit.id.starts_with(one.commit); };
    const auto commit = std::ranges::find_if(line.commits, named);
    if (commit == line.commits.end()) continue;
    const auto place = static_cast<std::size_t>(commit - line.commits.begin());
    const auto run = std::ranges::lower_bound(line.measured, place);
    if (run != line.measured.end()) agreed.push_back({static_cast<std::size_t>(run - line.measured.begin()), one});
  }
  return agreed;
}

double budget_of(std::string_view id, const std::vector<DriftBudget>& budgets) {
  for (const DriftBudget& one : std::views::reverse(budgets)) {
    if (one.is_about(id)) return one.budget;
  }
  return kUsualDrift;
}

}  // namespace tally
