#include "session/counting_dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "measurement/statistics.h"
#include "session/command_processes.h"

namespace tally {

using protocol::Phase;

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
  on_device_ = on_device_ || !ready.device.empty();
  phase_ = ready.phase;
  return AskCount{iterations(), is_last_replicate()};
}

/// To ask for. The lead's own number is its host's to choose.
std::uint64_t CountingDialogue::iterations() const {
  return rules_.plan.iterations + (phase_ == Phase::statement && lead_ ? lead_->iterations : 0);
}

/// Whether the next replicate is the last, if it agrees.
bool CountingDialogue::is_last_replicate() const {
  return phase_ == Phase::statement && !rules_.forks_all && counts_.replicates.size() + 1 >= rules_.replicates;
}

DialogueAnswer CountingDialogue::on(RegionCounted region) {
  if (auto why = why_unusable(region)) return std::unexpected(CaseFailure{"count", *std::move(why), {}, {}});
  switch (phase_) {
    case Phase::baseline:
      // One of each empty loop, in the case child itself: a second one has never differed.
      if (pauses_of_empty_) {
        paused_otherwise_ = std::move(region);
        return Advance{};
      }
      pauses_of_empty_ = region.pauses;
      counts_.baseline.push_back((*region.totals)->values);
      baseline_profile_ = std::move(region.dump);
      return Advance{};
    case Phase::lead:
      lead_ = std::move(region);
      return Advance{};
    case Phase::statement:
      break;
  }
  counts_.events = (*region.totals)->events;
  counts_.iterations = region.iterations;
  counts_.one_execution = region.one_execution;
  if (counts_.replicates.empty()) pauses_ = region.pauses;
  counts_.replicates.push_back((*region.totals)->values);
  if (rules_.measured->command) note_processes(region.dump);
  if (profile_.empty()) profile_ = std::move(region.dump);
  return on_replicate(region.own);
}

void CountingDialogue::note_processes(const std::string& dump) {
  std::vector<ProcessCount> processes = processes_in(dump);
  if (processes_.empty()) {
    processes_ = std::move(processes);
    return;
  }
  // That of the run which is furthest from the first one: the smallest would hide what the spread is of.
  const std::uint64_t first = counts_.replicates.front().front();
  const std::uint64_t latest = counts_.replicates.back().front();
  const std::uint64_t distance = std::max(first, latest) - std::min(first, latest);
  if (!difference_.empty() && distance <= distance_) return;
  distance_ = distance;
  difference_ = difference(profile_, dump);
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
  return AskCount{iterations(), is_last_replicate()};
}

/// What is subtracted has as many pauses as the statement had: a function that pauses now and then had its pauses
/// subtracted as often as its first execution had one, and 10 instructions read -17 or 33. The empty loops show what a
/// pause costs.
void CountingDialogue::settle_baseline() {
  if (counts_.baseline.empty() || !pauses_of_empty_) return;
  const std::vector<std::uint64_t> empty = counts_.baseline.front();
  std::vector<std::uint64_t>& row = counts_.baseline.front();
  std::uint64_t pauses = *pauses_of_empty_;
  if (lead_ && counts_.iterations > lead_->iterations) {
    row = (*lead_->totals)->values;
    pauses = lead_->pauses;
    counts_.iterations -= lead_->iterations;
  }
  if (!paused_otherwise_ || paused_otherwise_->pauses == *pauses_of_empty_) return;
  const auto apart = [](std::uint64_t more, std::uint64_t less) {
    return static_cast<double>(more) - static_cast<double>(less);
  };
  const double share = apart(pauses_, pauses) / apart(paused_otherwise_->pauses, *pauses_of_empty_);
  const std::vector<std::uint64_t>& other = (*paused_otherwise_->totals)->values;
  for (std::size_t i = 0; i < std::min({row.size(), empty.size(), other.size()}); ++i) {
    const double exact = static_cast<double>(row[i]) + apart(other[i], empty[i]) * share;
    row[i] = static_cast<std::uint64_t>(std::llround(std::max(exact, 0.0)));
  }
}

void CountingDialogue::deliver(CaseOutcome& outcome) {
  settle_baseline();
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
  outcome.counted.forks_differ = outcome.counted.forks_differ || forks_differ_;
  // A case's own threads are in its definition.
  if (threads_ > 1 && rules_.measured->threads == 1 && !on_device_ && outcome.counted.doubt.empty())
    outcome.counted.doubt = fmt::format("it has {} threads", threads_);
  if (difference_.empty() && !outcome.processes.empty() && !processes_.empty())
    difference_ = difference(outcome.profiles.statement, profile_);
  if (std::string warning = "its counts vary: " + difference_;
      !difference_.empty() && !contains(outcome.warnings, warning))
    outcome.warnings.push_back(std::move(warning));
  if (outcome.counts) {
    append(outcome.counts->replicates, std::move(counts_.replicates));
    append(outcome.counts->baseline, std::move(counts_.baseline));
    return;
  }
  outcome.counts = std::move(counts_);
  outcome.processes = std::move(processes_);
  outcome.profiles.statement = std::move(profile_);
  outcome.profiles.baseline = std::move(baseline_profile_);
  if (lead_) outcome.profiles.lead = std::move(lead_->dump);
  outcome.counted.paused = pauses_ > (lead_ ? lead_->pauses : 0);
}

}  // namespace tally
