#include "comparison/same_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tally {

namespace {

struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// How many replicates there are says nothing.
Range range_of(const std::vector<std::uint64_t>& replicates) {
  const auto [least, most] = std::ranges::minmax_element(replicates);
  return replicates.empty() ? Range{} : Range{*least, *most};
}

bool are_equal(const Counts& a, const Counts& b) {
  return range_of(a.replicates) == range_of(b.replicates) &&
         range_of(a.baseline_replicates) == range_of(b.baseline_replicates);
}

std::string why_unjudged(const CaseComparison& one) {
  if (one.base == nullptr) return "it is in the second record alone";
  if (one.next == nullptr) return "it is in the first record alone";
  if (!one.base->counts && !one.next->counts) return "neither record has a count of it";
  if (!one.base->counts) return "the first record has no count of it";
  if (!one.next->counts) return "the second record has no count of it";
  if (one.base->counts->iterations != one.next->counts->iterations)
    return fmt::format("it was executed {} and {} times", one.base->counts->iterations, one.next->counts->iterations);
  return one.definition_changed ? "its definition is another" : one.counts_refused;
}

double change_of(const CaseComparison& one) {
  return relative_change(one.base->counts->per_iteration, one.next->counts->per_iteration);
}

std::string describe_move(const CaseComparison& one) {
  std::string text = fmt::format("  {}: {:.12g} → {:.12g} ({:+.4f} %)\n", one.id, one.base->counts->per_iteration,
                                 one.next->counts->per_iteration, 100 * change_of(one));
  if (one.functions.empty()) return text;
  const FunctionDelta& first = one.functions.front();
  return text + fmt::format("    {} {:+.12g} in {}\n", first.name, first.delta(), first.object);
}

}  // namespace

SameCounts same_counts_of(const Comparison& comparison) {
  SameCounts result;
  std::set<std::string> known;
  for (const CaseComparison& one : comparison.cases) {
    if (std::string why = why_unjudged(one); !why.empty()) {
      result.unjudged.emplace_back(&one, std::move(why));
      continue;
    }
    if (are_equal(*one.base->counts, *one.next->counts)) {
      ++result.equal;
      continue;
    }
    result.moved.push_back(&one);
    for (const auto* changes : {&one.environment_changes, &one.subject_changes, &one.machine_changes}) {
      for (const std::string& change : *changes) {
        const bool moves_counts = changes != &one.machine_changes || is_of_folder(change);
        if (moves_counts && known.insert(change).second) result.differences.push_back(change);
      }
    }
  }
  std::ranges::sort(result.moved, [](const CaseComparison* a, const CaseComparison* b) {
    return std::pair(-std::abs(change_of(*a)), a->id) < std::pair(-std::abs(change_of(*b)), b->id);
  });
  return result;
}

int exit_code_of(const SameCounts& same) {
  constexpr int kDiffers = 3;
  constexpr int kNotJudged = 2;
  if (!same.moved.empty()) return kDiffers;
  return same.unjudged.empty() && same.judged() > 0 ? 0 : kNotJudged;
}

std::string to_text(const SameCounts& same, const std::string& what) {
  std::string text = fmt::format("{} of {} equal{}\n", same.equal, same.judged(), what);
  for (const CaseComparison* one : same.moved) text += describe_move(*one);
  if (!same.moved.empty() && same.differences.empty())
    text += "  both records name the same environment: something differs that they do not name\n";
  for (const std::string& difference : same.differences) text += fmt::format("  differs: {}\n", difference);
  if (!same.unjudged.empty()) text += fmt::format("{} not compared:\n", same.unjudged.size());
  for (const auto& [one, why] : same.unjudged) text += fmt::format("  {}: {}\n", one->id, why);
  return text;
}

}  // namespace tally
