#include "record/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <tuple>
#include <unordered_set>

#include "base/contains.h"
#include "record/json.h"
#include "record/merge_checks.h"
#include "record/merge_environments.h"

namespace tally {
namespace {

/// One measurement of a case: where it is.
struct Source {
  std::size_t input = 0;
  std::size_t index = 0;  ///< Among the cases of its record.
};

/// All measurements of each case of the plan, by its place there.
using Sources = std::vector<std::vector<Source>>;

const CaseRecord& at(const std::vector<MergeInput>& inputs, const Source& source) {
  return inputs[source.input].record.cases[source.index];
}

Result<Sources> gather(const std::vector<MergeInput>& inputs) {
  Sources sources(inputs.front().record.part->cases);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Record& record = inputs[i].record;
    for (std::size_t j = 0; j < record.cases.size(); ++j) {
      std::vector<Source>& here = sources[record.part->places ? (*record.part->places)[j] : j];
      if (!here.empty() && at(inputs, here.front()).id != record.cases[j].id) {
        return fail(ErrorKind::input,
                    fmt::format("has '{}' where {} has '{}'", record.cases[j].id, inputs[here.front().input].name,
                                at(inputs, here.front()).id),
                    inputs[i].name, "one of the records was edited; measure the part again");
      }
      here.push_back({i, j});
    }
  }
  return sources;
}

auto machine_key(const Machine& machine) {
  return std::tuple(machine.name, machine.cpu, machine.cpus, machine.memory_bytes, machine.kernel, machine.system,
                    machine.architecture);
}

/// What is compared of two measurements of a case that are equally good: all that is in them, but not where it is kept.
std::string content_of(const MergeInput& input, const CaseRecord& one) {
  CaseRecord content = one;
  content.machine = 0;
  content.environment.reset();
  content.profile.reset();
  const Machine& machine = input.record.machines.at(one.machine);
  return case_to_json(content) + machine.name.value_or("") + machine.cpu + machine.kernel + machine.system +
         fmt::format("{} {}", machine.cpus, machine.memory_bytes);
}

/// The same one, in whatever order they come.
Source best_of(const std::vector<MergeInput>& inputs, const std::vector<Source>& sources) {
  const auto worth = [&](const Source& source) {
    const CaseRecord& one = at(inputs, source);
    return std::tuple(was_tried(one), one.status == CaseStatus::ok, one.counts.has_value(), one.wall.has_value());
  };
  Source best = sources.front();
  for (const Source& other : sources) {
    if (worth(other) < worth(best)) continue;
    if (worth(other) > worth(best)) {
      best = other;
      continue;
    }
    const std::string mine = content_of(inputs[best.input], at(inputs, best));
    const std::string theirs = content_of(inputs[other.input], at(inputs, other));
    if (theirs < mine || (theirs == mine && at(inputs, other).profile && !at(inputs, best).profile)) best = other;
  }
  return best;
}

/// Seconds since 1970 of "2026-01-31T12:00:00Z"; nothing where it is no such time.
std::optional<double> seconds_of(const std::string& text) {
  std::tm time{};
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) return std::nullopt;
  return static_cast<double>(::timegm(&time));
}

/// Everything but cases, environments and machines.
Record head_of(const std::vector<MergeInput>& inputs) {
  Record head;
  const Record& first = inputs.front().record;
  head.tool = first.tool;
  head.part = first.part;
  head.server = first.server;
  head.settings = first.settings;
  head.started = first.started;
  head.finished = first.finished;
  head.command = first.command;
  for (const MergeInput& input : inputs) {
    const Record& record = input.record;
    head.started = std::min(head.started, record.started);
    head.finished = std::max(head.finished, record.finished);
    head.command = std::min(head.command, record.command);
    head.seconds = std::max(head.seconds, record.seconds);
    if (record.server != head.server) head.server.reset();
    drop_different_limits(head.settings, record.settings);
  }
  const auto from = seconds_of(head.started);
  const auto to = seconds_of(head.finished);
  // Clocks of different machines need not agree.
  if (from && to) head.seconds = std::max(head.seconds, *to - *from);
  return head;
}

/// Parts of which something is missing: those that nobody gave, and those with a case that nobody tried.
std::vector<int> missing_of(const std::vector<MergeInput>& inputs, const std::vector<bool>& tried) {
  std::vector<int> missing;
  if (std::ranges::all_of(tried, std::identity())) return missing;
  std::set<int> there;
  for (const MergeInput& input : inputs) {
    const Part& part = *input.record.part;
    if (part.index) {
      const bool is_whole = part.places ? std::ranges::all_of(*part.places, [&](std::size_t i) { return tried[i]; })
                                        : std::ranges::all_of(tried, std::identity());
      if (is_whole) there.insert(*part.index);
      continue;
    }
    for (int i = 1; i <= part.count; ++i) {
      if (!contains(part.missing.value_or(std::vector<int>()), i)) there.insert(i);
    }
  }
  for (int i = 1; i <= inputs.front().record.part->count; ++i) {
    if (!there.contains(i)) missing.push_back(i);
  }
  return missing;
}

std::string instructions(const CaseRecord& one) { return fmt::format("{:.2f}", one.counts->per_iteration); }

/// Counts of one case that was measured twice in one environment; empty where they agree.
std::string conflict_of(const std::vector<MergeInput>& inputs, const std::vector<Source>& sources,
                        const MergedEnvironments& environments) {
  for (std::size_t i = 1; i < sources.size(); ++i) {
    const CaseRecord& one = at(inputs, sources[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const CaseRecord& other = at(inputs, sources[j]);
      if (environments.key_of(sources[i].input, one) != environments.key_of(sources[j].input, other)) continue;
      if (counts_agree(one, other)) continue;
      return fmt::format("{}: {} instructions in {}, {} in {}", one.id, instructions(other),
                         inputs[sources[j].input].name, instructions(one), inputs[sources[i].input].name);
    }
  }
  return {};
}

Status check_conflicts(const std::vector<MergeInput>& inputs, const Sources& sources,
                       const MergedEnvironments& environments) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> conflicts;
  std::size_t found = 0;
  for (const std::vector<Source>& one : sources) {
    std::string conflict = one.size() < 2 ? std::string() : conflict_of(inputs, one, environments);
    if (conflict.empty()) continue;
    if (++found <= kShown) conflicts.push_back(std::move(conflict));
  }
  if (found == 0) return {};
  return fail(
      ErrorKind::failed,
      fmt::format("{} counted differently in one environment, and counts must not: {}{}",
                  found == 1 ? "a case was" : fmt::format("{} cases were", found), fmt::join(conflicts, "; "),
                  found > kShown ? "; …" : ""),
      {},
      "measure it again with --profiles on both machines and see where with `tally compare --functions`; report "
      "it as a bug of tally where the statement itself does the same each time");
}

}  // namespace

Result<Merged> merge(std::vector<MergeInput> inputs, const MergeOptions& options) {
  if (auto alike = check_parts(inputs); !alike) return std::unexpected(alike.error());
  auto environments = MergedEnvironments::of(inputs, options.per_environment);
  if (!environments) return std::unexpected(environments.error());
  auto sources = gather(inputs);
  if (!sources) return std::unexpected(sources.error());
  if (auto agree = check_conflicts(inputs, *sources, *environments); !agree) return std::unexpected(agree.error());

  Merged merged{.record = head_of(inputs), .from = {}, .unready = {}};
  Record& record = merged.record;
  record.environments = environments->all();
  std::vector<bool> tried(sources->size());
  std::vector<std::size_t> places;
  std::unordered_set<std::string> ids;
  for (std::size_t place = 0; place < sources->size(); ++place) {
    const std::vector<Source>& here = (*sources)[place];
    if (here.empty()) continue;
    const Source best = best_of(inputs, here);
    CaseRecord one = std::move(inputs[best.input].record.cases[best.index]);
    tried[place] = was_tried(one);
    if (!ids.insert(one.id).second) {
      return fail(ErrorKind::input, fmt::format("'{}' stands in two places of the plan", one.id),
                  inputs[best.input].name, "one of the records was edited; measure the part again");
    }
    one.environment = environments->named_key_of(best.input, one);
    const Machine& machine = inputs[best.input].record.machines.at(one.machine);
    const auto known = std::ranges::find(record.machines, machine);
    one.machine = static_cast<std::size_t>(known - record.machines.begin());
    if (known == record.machines.end()) record.machines.push_back(machine);
    record.cases.push_back(std::move(one));
    merged.from.push_back(best.input);
    places.push_back(place);
  }
  if (record.machines.empty()) {
    const auto least = std::ranges::min_element(
        inputs, {}, [](const MergeInput& input) { return machine_key(input.record.machines.front()); });
    record.machines.push_back(least->record.machines.front());
  }
  record.part->index.reset();
  record.part->places.reset();
  record.part->missing.reset();
  if (places.size() < sources->size()) record.part->places = std::move(places);
  if (std::vector<int> missing = missing_of(inputs, tried); !missing.empty()) {
    for (const MergeInput& input : inputs) {
      const std::optional<int> index = input.record.part->index;
      if (index && contains(missing, *index) && !contains(merged.unready, *index)) merged.unready.push_back(*index);
    }
    std::ranges::sort(merged.unready);
    record.part->missing = std::move(missing);
  }
  set_fingerprints(record);
  return merged;
}

}  // namespace tally
