#include "comparison/process_shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace tally {

namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool executes_the_same(const ProcessCount& one, const ProcessCount& other) {
  return file_name(one.program) == file_name(other.program);
}

bool was_started(const ProcessCount& one, const ProcessCount& other) { return one.place == "1" && other.place == "1"; }

using Match = bool (*)(const ProcessCount&, const ProcessCount&);

bool is_at_its_place(const ProcessCount& one, const ProcessCount& other) {
  return one.place == other.place && one.program == other.program;
}

/// For each of `before`, its index in `after`.
std::vector<std::optional<std::size_t>> matches(const std::vector<ProcessCount>& before,
                                                const std::vector<ProcessCount>& after) {
  std::vector<std::optional<std::size_t>> found(before.size());
  std::vector<bool> taken(after.size());
  for (const Match match : {&is_at_its_place, &executes_the_same, &was_started}) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (std::size_t k = 0; !found[i] && k < after.size(); ++k) {
        if (taken[k] || !match(before[i], after[k])) continue;
        found[i] = k;
        taken[k] = true;
      }
    }
  }
  return found;
}

}  // namespace

std::vector<ProcessShift> process_shifts(const std::vector<ProcessCount>& before,
                                         const std::vector<ProcessCount>& after) {
  std::vector<ProcessShift> shifts;
  const auto found = matches(before, after);
  std::vector<bool> is_new(after.size(), true);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ProcessCount& shown = found[i] ? after[*found[i]] : before[i];
    const auto now = found[i] ? static_cast<double>(after[*found[i]].instructions) : 0;
    shifts.push_back({shown.place, shown.program, {static_cast<double>(before[i].instructions), now}});
    if (found[i]) is_new[*found[i]] = false;
  }
  for (std::size_t k = 0; k < after.size(); ++k) {
    if (is_new[k])
      shifts.push_back({after[k].place, after[k].program, {0, static_cast<double>(after[k].instructions)}});
  }
  std::erase_if(shifts, [](const ProcessShift& one) { return one.instructions.delta() == 0; });
  std::ranges::sort(shifts, std::greater(),
                    [](const ProcessShift& one) { return std::pair(std::abs(one.instructions.delta()), one.place); });
  return shifts;
}

std::vector<std::string> changed_programs(const std::vector<ProcessCount>& before,
                                          const std::vector<ProcessCount>& after) {
  std::map<std::string, std::string> changes;
  const auto found = matches(before, after);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!found[i]) continue;
    const ProcessCount& now = after[*found[i]];
    if (!before[i].digest || !now.digest || before[i].digest == now.digest) continue;
    changes[now.program] = fmt::format("{}: {} → {}", file_name(now.program), *before[i].digest, *now.digest);
  }
  std::vector<std::string> texts;
  texts.reserve(changes.size());
  for (auto& [program, text] : changes) texts.push_back(std::move(text));
  return texts;
}

double instructions_of_starts(const std::vector<ProcessCount>& processes) {
  double sum = 0;
  for (const ProcessCount& one : processes) sum += static_cast<double>(one.start);
  return sum;
}

}  // namespace tally
