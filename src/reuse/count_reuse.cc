#include "reuse/count_reuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tally {

CountReuse::CountReuse(std::span<const Record> earlier, const std::vector<CaseRecord>& cases, CountInputsFinder& inputs,
                       std::string run)
    : cases_(cases), inputs_(inputs), run_(std::move(run)) {
  for (const Record& record : earlier) {
    for (const CaseRecord& one : record.cases) earlier_[one.id].push_back({&one, &record});
  }
}

std::expected<CountReuse::Known, std::string> CountReuse::find(std::size_t index, const MadeFiles& made) const {
  const auto found = earlier_.find(cases_[index].id);
  if (found == earlier_.end()) return std::unexpected("it was not counted before");
  std::optional<std::string> first_why;
  for (const Known& known : found->second) {
    std::string why = why_never_reused(*known.counted);
    if (why.empty()) {
      const auto now = inputs_.of(index, made, *known.counted->inputs);
      why = now ? why_not_reused(*known.counted, cases_[index], *now) : "its text does not show what it imports";
    }
    if (why.empty()) return known;
    if (!first_why) first_why = std::move(why);
  }
  return std::unexpected(*std::move(first_why));
}

KnownCounts CountReuse::decide(const std::vector<std::size_t>& cases, const BuiltFiles& built) {
  std::vector<std::size_t> known;
  std::vector<std::string_view> ids;
  for (const std::size_t index : cases) {
    const BuiltCase* made = built(index);
    if (made == nullptr) continue;
    const auto found = find(index, MadeFiles{made->library, made->folder});
    if (!found) {
      ++refused_[found.error()];
      continue;
    }
    known.push_back(index);
    ids.push_back(cases_[index].id);
    reused_[index] = *found;
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
  const CaseRecord& earlier = *found->second.counted;
  // One that fails proves nothing, and its failure is reported.
  if (counted.counts && is_same_count(*earlier.counts, *counted.counts)) {
    ++proved_;
    return;
  }
  refuted_.push_back(counted.id);
  if (!counted.counts) return;
  counted.flags.emplace_back(kReuseRefuted);
  counted.warnings.push_back(
      fmt::format("its inputs are unchanged, but its count differs: {} instructions, and {} when it was counted "
                  "before",
                  counted.counts->per_iteration, earlier.counts->per_iteration));
}

void CountReuse::take_over(std::size_t index, CaseRecord& record) const {
  const auto found = reused_.find(index);
  if (found != reused_.end()) take_over_counts(record, *found->second.counted, *found->second.run);
}

std::string CountReuse::summary() const {
  std::string text;
  if (!stands()) {
    text = "no count is reused: one that was counted again differs";
  } else if (reused_.empty() && proved_ == 0) {
    text = "no count could be reused";
  } else {
    text = fmt::format("{} counts are reused; {} counted again as proof, and equal", reused_.size(), proved_);
  }
  for (const auto& [why, cases] : refused_) text += fmt::format("; of {} {}", cases, why);
  return text;
}

}  // namespace tally
