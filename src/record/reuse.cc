#include "record/reuse.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"

namespace tally {

namespace {

constexpr std::size_t kOneIn = 20;

/// Words that describe counts, and would describe them again.
constexpr std::string_view kOfCounts[] = {"optimised_away", "string_repetitions"};

bool has_flag(const CaseRecord& one, std::string_view flag) {
  return std::ranges::find(one.flags, flag) != one.flags.end();
}

}  // namespace

std::string why_never_reused(const CaseRecord& earlier) {
  if (earlier.language == "command") return "it is a command";
  if (earlier.status != CaseStatus::ok) return "it was not counted well";
  if (!earlier.counts) return "it has no counts";
  if (!earlier.inputs) return "the record does not say what they follow from";
  if (has_flag(earlier, "counts_vary")) return "its count varies";
  if (has_flag(earlier, "device")) return "it works on a device";
  if (has_flag(earlier, kReuseRefuted)) return "it did not repeat";
  return {};
}

std::string why_not_reused(const CaseRecord& earlier, const CaseDescription& described, const CountInputs& now) {
  if (std::string why = why_never_reused(earlier); !why.empty()) return why;
  if (earlier.definition.digest != described.definition.digest) return "its definition is another";
  for (const auto& [name, digest] : *earlier.inputs) {
    const auto found = now.find(name);
    if (found == now.end() || found->second != digest) return fmt::format("its {} is another", name);
  }
  for (const auto& [name, digest] : now) {
    if (!earlier.inputs->contains(name)) return fmt::format("its {} is new", name);
  }
  return {};
}

std::vector<std::size_t> proofs_among(std::span<const std::string_view> ids, std::string_view run) {
  std::vector<std::pair<std::string, std::size_t>> order;
  order.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) order.emplace_back(Digest().add(ids[i]).add(run).hex(), i);
  const std::size_t wanted = (ids.size() + kOneIn - 1) / kOneIn;
  std::ranges::sort(order);
  std::vector<std::size_t> chosen;
  chosen.reserve(wanted);
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(order[i].second);
  std::ranges::sort(chosen);
  return chosen;
}

bool is_same_count(const Counts& earlier, const Counts& again) {
  return earlier.iterations == again.iterations && earlier.per_iteration == again.per_iteration &&
         earlier.baseline == again.baseline;
}

void take_over_counts(CaseRecord& now, const CaseRecord& earlier, const Record& run) {
  now.counts = earlier.counts;
  now.inputs = earlier.inputs;
  now.reused = earlier.reused ? earlier.reused : run.source && !run.source->dirty ? run.source->commit : run.started;
  for (const std::string_view flag : kOfCounts) {
    if (has_flag(earlier, flag)) now.flags.emplace_back(flag);
  }
  for (const std::string& warning : earlier.warnings) {
    if (std::ranges::find(now.warnings, warning) == now.warnings.end()) now.warnings.push_back(warning);
  }
  if (!now.counters && !now.wall) now.counters = earlier.counters;
  if (!now.note) now.note = earlier.note;
}

}  // namespace tally
