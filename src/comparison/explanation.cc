#include "comparison/explanation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tally {
namespace {

constexpr double kMostMovement = 0.9;

/// How much of all movement each one has decides who is named: where some have more and others less, a net change says
/// little. `all` has the largest change first.
template <typename Delta, typename Change>
Movement<Delta> movement_of(const std::vector<Delta>& all, const Change& change) {
  Movement<Delta> result;
  double movement = 0;
  for (const Delta& one : all) {
    (change(one) > 0 ? result.more : result.less) += change(one);
    movement += std::abs(change(one));
  }
  result.moved = all.size();
  double named = 0;
  while (result.named.size() < all.size() && named < kMostMovement * movement) {
    const Delta& next = all[result.named.size()];
    named += std::abs(change(next));
    result.named.push_back(next);
  }
  result.share = movement > 0 ? named / movement : 0;
  return result;
}

Movement<FunctionDelta> movement_of(const std::vector<FunctionDelta>& all) {
  auto result = movement_of(all, [](const FunctionDelta& one) { return one.delta(); });
  result.named = telling(std::move(result.named), all.size());
  return result;
}

Movement<LineDelta> movement_of(const std::vector<LineDelta>& all) {
  auto result = movement_of(all, [](const LineDelta& one) { return one.delta(); });
  // Objects alone say less than their functions do.
  const bool has_line = std::ranges::any_of(result.named, [](const LineDelta& one) { return one.at.line > 0; });
  return has_line ? std::move(result) : Movement<LineDelta>();
}

Movement<AllocationDelta> movement_of(const std::vector<AllocationDelta>& all) {
  const auto bytes = [](const AllocationDelta& one) { return one.bytes_after - one.bytes_before; };
  const auto count = [](const AllocationDelta& one) { return one.count_after - one.count_before; };
  const bool has_bytes = std::ranges::any_of(all, [&](const AllocationDelta& one) { return bytes(one) != 0; });
  return has_bytes ? movement_of(all, bytes) : movement_of(all, count);
}

std::optional<Shift> change_of(const std::optional<double>& before, const std::optional<double>& after) {
  if (!before || !after) return std::nullopt;
  return Shift{*before, *after};
}

Disagreement disagreement_of(const CaseComparison& one) {
  if (!one.counts || !one.time) return Disagreement::none;
  const double delta = one.counts->after - one.counts->before;
  const bool moved = std::abs(delta) > one.counts->threshold;
  const Verdict time = one.time->verdict;
  if (!moved) return time == Verdict::same ? Disagreement::none : Disagreement::time_alone;
  if (delta > 0 && time == Verdict::faster) return Disagreement::more_but_faster;
  if (delta < 0 && time == Verdict::slower) return Disagreement::fewer_but_slower;
  return Disagreement::none;
}

/// One event alone, in cycles.
double cycles_of(const std::string& event, double count) {
  const std::array<std::pair<std::string, double>, 2> alone = {{{event, count}, {"D1mr", 0}}};
  return estimated_cycles(alone).value_or(0);
}

}  // namespace

std::string_view to_string(Disagreement disagreement) {
  switch (disagreement) {
    case Disagreement::none:
      return "";
    case Disagreement::more_but_faster:
      return "more instructions, and faster";
    case Disagreement::fewer_but_slower:
      return "fewer instructions, and slower";
    case Disagreement::time_alone:
      return "as many instructions, in another time";
  }
  return "";
}

void explain_events(const Counts& before, const Counts& after, Explanation& explanation) {
  explanation.events.clear();
  explanation.cycles = change_of(before.estimated_cycles, after.estimated_cycles);
  for (const auto& [event, count] : after.events) {
    const auto old = std::ranges::find(before.events, event, &std::pair<std::string, double>::first);
    if (old == before.events.end() || old->second == count) continue;
    const double cycles = cycles_of(event, count) - cycles_of(event, old->second);
    if (cycles != 0) explanation.events.push_back({event, {old->second, count}, cycles});
  }
  std::ranges::sort(explanation.events, {},
                    [](const EventChange& one) { return std::pair(-std::abs(one.cycles), one.event); });
}

Explanation explain(const CaseComparison& one) {
  Explanation explanation{.of = &one};
  explanation.disagreement = disagreement_of(one);
  explanation.functions = movement_of(one.functions);
  explanation.python = movement_of(one.python);
  explanation.lines = movement_of(one.lines);
  explanation.sites = movement_of(one.allocations);
  if (one.base == nullptr || one.next == nullptr || !one.base->counts || !one.next->counts) return explanation;
  const Counts& old = *one.base->counts;
  const Counts& now = *one.next->counts;
  explanation.allocations = change_of(old.allocations, now.allocations);
  explanation.allocated_bytes = change_of(old.allocated_bytes, now.allocated_bytes);
  if (one.base->processes && one.next->processes) {
    const auto& before = *one.base->processes;
    const auto& after = *one.next->processes;
    if (before.size() > 1 || after.size() > 1) explanation.processes = process_shifts(before, after);
    explanation.starts = Shift{instructions_of_starts(before), instructions_of_starts(after)};
  }
  if (old.estimated_cycles && now.estimated_cycles) explain_events(old, now, explanation);
  return explanation;
}

}  // namespace tally
