#include "execution/counting_dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "measurement/statistics.h"

namespace tally {

namespace {

/// Pools the samples of several sessions.
template <typename T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

bool wants_another_replicate(const CountSamples& counts, const CasePlan& plan) {
  std::vector<std::uint64_t> totals;
  totals.reserve(counts.replicates.size());
  for (const auto& row : counts.replicates) totals.push_back(row.empty() ? 0 : row.front());
  return needs_more_replicates(totals, plan.replicates, plan.max_replicates);
}

DialogueAnswer CountingDialogue::on(const PhaseReady& ready) {
  if (!ready.allocator.empty()) allocator_ = ready.allocator;
  threads_ = std::max(threads_, ready.threads);
  of_statement_ = ready.phase == protocol::Phase::statement;
  return AskCount{rules_.plan.iterations, is_last_replicate()};
}

/// Whether the replicate to be asked for is the last, if it agrees.
bool CountingDialogue::is_last_replicate() const {
  return of_statement_ && !rules_.forks_all && counts_.replicates.size() + 1 >= rules_.replicates;
}

DialogueAnswer CountingDialogue::on(RegionCounted region) {
  if (auto why = why_unusable(region)) return std::unexpected(CaseFailure{"count", *std::move(why), {}, {}});
  if (!of_statement_ && pauses_of_empty_) {
    paused_otherwise_ = std::move(region);
    return Advance{};
  }
  counts_.events = (*region.totals)->events;
  counts_.iterations = region.iterations;
  if (!of_statement_) pauses_of_empty_ = region.pauses;
  if (counts_.replicates.empty()) pauses_ = region.pauses;
  (of_statement_ ? counts_.replicates : counts_.baseline).push_back((*region.totals)->values);
  if (std::string& kept = of_statement_ ? profile_ : baseline_profile_; kept.empty()) kept = std::move(region.dump);
  // One of the empty loop, in the case child itself: a second one has never differed.
  return of_statement_ ? on_replicate(region.own) : Advance{};
}

/// Replicates of one process do not start from one state (the allocator's differs: 0.05 to 2.3 % with two threads).
/// Once the child has executed one itself, it gives no other, and another session is wanted for more.
DialogueAnswer CountingDialogue::on_replicate(bool own) {
  if (own && counts_.replicates.size() > 1 && counts_.replicates.back() != counts_.replicates.front()) {
    // A library may begin anew in a forked process (pthread_atfork): then the two are not replicates of each other.
    counts_.replicates.pop_back();
    forks_differ_ = true;
  }
  if (!rules_.perturbation.empty() || rules_.once || own || !wants_another_replicate(counts_, rules_.plan))
    return Advance{};
  return AskCount{rules_.plan.iterations, is_last_replicate()};
}

/// What is taken off has as many pauses as the statement had: a function that pauses now and then had its pauses taken
/// off as often as its first execution had one, and 10 instructions read -17 or 33.
void CountingDialogue::take_pauses_off() {
  if (!paused_otherwise_ || !pauses_of_empty_ || counts_.baseline.empty()) return;
  const auto number = [](std::uint64_t pauses) { return static_cast<double>(pauses); };
  const double apart = number(paused_otherwise_->pauses) - number(*pauses_of_empty_);
  if (apart == 0) return;
  const double share = (number(pauses_) - number(*pauses_of_empty_)) / apart;
  const std::vector<std::uint64_t>& other = (*paused_otherwise_->totals)->values;
  std::vector<std::uint64_t>& row = counts_.baseline.front();
  for (std::size_t i = 0; i < std::min(row.size(), other.size()); ++i) {
    const double exact = number(row[i]) + (number(other[i]) - number(row[i])) * share;
    row[i] = static_cast<std::uint64_t>(std::llround(std::max(exact, 0.0)));
  }
}

void CountingDialogue::deliver(CaseOutcome& outcome) {
  take_pauses_off();
  if (!allocator_.empty()) {
    std::string warning = fmt::format(
        "malloc is that of {}: the holes of its heap are not filled, and counts may differ from start to start",
        allocator_);
    if (!contains(outcome.warnings, warning)) outcome.warnings.push_back(std::move(warning));
  }
  if (!rules_.perturbation.empty()) {
    outcome.perturbed.emplace_back(rules_.perturbation, std::move(counts_));
    return;
  }
  outcome.forks_differ = outcome.forks_differ || forks_differ_;
  // A case's own threads are said in its definition.
  if (threads_ > 1 && rules_.measured->threads == 1 && outcome.process_doubt.empty())
    outcome.process_doubt = fmt::format("it has {} threads", threads_);
  if (outcome.counts) {
    append(outcome.counts->replicates, std::move(counts_.replicates));
    append(outcome.counts->baseline, std::move(counts_.baseline));
    return;
  }
  outcome.counts = std::move(counts_);
  outcome.profile = std::move(profile_);
  outcome.baseline_profile = std::move(baseline_profile_);
  outcome.paused = pauses_ > 0;
}

}  // namespace tally
