#include "run/count_reuse.h"

#include <fmt/format.h>

#include <algorithm>

namespace tally {

CountReuse::CountReuse(const Record& earlier, const std::vector<CaseRecord>& cases, CountInputsFinder& inputs,
                       std::string run)
    : earlier_(earlier), cases_(cases), inputs_(inputs), run_(std::move(run)) {}

KnownCounts CountReuse::decide(const std::vector<std::size_t>& cases, const BuiltFiles& built) {
  std::map<std::string_view, const CaseRecord*> by_id;
  for (const CaseRecord& one : earlier_.cases) by_id.emplace(one.id, &one);
  std::vector<std::size_t> known;
  std::vector<std::string_view> ids;
  const auto refuse = [&](const std::string& why) { ++refused_[why]; };
  for (const std::size_t index : cases) {
    const auto found = by_id.find(cases_[index].id);
    const BuiltCase* made = built(index);
    if (found == by_id.end() || made == nullptr) {
      if (found == by_id.end()) refuse("it is not in the record");
      continue;
    }
    const CaseRecord& earlier = *found->second;
    std::string why = why_never_reused(earlier);
    if (why.empty()) {
      const auto now = inputs_.of(index, MadeFiles{made->library, made->folder}, *earlier.inputs);
      why = now ? why_not_reused(earlier, cases_[index], *now) : "what it imports cannot be told from its text";
    }
    if (!why.empty()) {
      refuse(why);
      continue;
    }
    known.push_back(index);
    ids.push_back(cases_[index].id);
    reused_[index] = &earlier;
  }
  KnownCounts counts;
  for (const std::size_t place : proofs_among(ids, run_)) {
    counts.proofs.push_back(known[place]);
    proofs_.insert(reused_.extract(known[place]));
  }
  for (const std::size_t index : known) {
    if (reused_.contains(index)) counts.cases.push_back(index);
  }
  return counts;
}

void CountReuse::prove(std::size_t index, CaseRecord& counted) {
  const auto found = proofs_.find(index);
  if (found == proofs_.end()) return;
  const CaseRecord& earlier = *found->second;
  // One that fails proves nothing; how it failed is said of it.
  if (counted.counts && is_same_count(*earlier.counts, *counted.counts)) {
    ++proved_;
    return;
  }
  refuted_.push_back(counted.id);
  if (!counted.counts) return;
  counted.flags.emplace_back(kReuseRefuted);
  counted.warnings.push_back(fmt::format(
      "nothing that its count follows from has changed, and it is another: {} instructions, and {} when it was counted "
      "before",
      counted.counts->per_iteration, earlier.counts->per_iteration));
}

void CountReuse::take_over(std::size_t index, CaseRecord& record) const {
  const auto found = reused_.find(index);
  if (found != reused_.end()) take_over_counts(record, *found->second, earlier_);
}

std::string CountReuse::summary() const {
  std::string text;
  if (!stands()) {
    text = "no count is taken over: one that was taken again is another";
  } else if (reused_.empty() && proved_ == 0) {
    text = "no count could be taken over";
  } else {
    text = fmt::format("{} counts are taken over; {} counted again, and the same", reused_.size(), proved_);
  }
  for (const auto& [why, cases] : refused_) text += fmt::format("; of {} {}", cases, why);
  return text;
}

}  // namespace tally
