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
struct Occurrence {
  std::size_t input = 0;
  std::size_t index = 0;  ///< Among the cases of its record.
};

/// All measurements of each case of the plan, by its place there.
using Occurrences = std::vector<std::vector<Occurrence>>;

const CaseText& at(const std::vector<PartText>& inputs, const Occurrence& source) {
  return inputs[source.input].cases[source.index];
}

Result<Occurrences> gather(const std::vector<PartText>& inputs) {
  Occurrences sources(inputs.front().head.part->cases);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PartText& input = inputs[i];
    for (std::size_t j = 0; j < input.cases.size(); ++j) {
      std::vector<Occurrence>& here = sources[input.head.part->places ? (*input.head.part->places)[j] : j];
      if (!here.empty() && at(inputs, here.front()).id != input.cases[j].id) {
        return fail(ErrorKind::input,
                    fmt::format("has '{}' where {} has '{}'", input.cases[j].id, inputs[here.front().input].name,
                                at(inputs, here.front()).id),
                    input.name, "one of the records was edited; measure the part again");
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

const Machine& machine_of(const std::vector<PartText>& inputs, const Occurrence& source) {
  return inputs[source.input].head.machines.at(at(inputs, source).machine);
}

/// Whether `a` stays of two that are equally good: by all that is in them, but not by where it is kept. Then the result
/// does not depend on which of them came first.
Result<bool> stays(const std::vector<PartText>& inputs, const Occurrence& a, const Occurrence& b,
                   const CaseTextLoader& load) {
  const auto mine = load(a.input, a.index);
  if (!mine) return std::unexpected(mine.error());
  const auto theirs = load(b.input, b.index);
  if (!theirs) return std::unexpected(theirs.error());
  const auto key = [&](const Occurrence& source, const std::string& text) {
    return std::tuple(placed(text, at(inputs, source), {}), machine_key(machine_of(inputs, source)),
                      !at(inputs, source).profile);
  };
  return key(a, *mine) <= key(b, *theirs);
}

/// The same one, in whatever order they come.
Result<Occurrence> best_of(const std::vector<PartText>& inputs, const std::vector<Occurrence>& sources,
                           const CaseTextLoader& load) {
  const auto worth = [&](const Occurrence& source) {
    const CaseText& one = at(inputs, source);
    return std::tuple(one.tried, one.ok, one.has_counts, one.has_wall);
  };
  Occurrence best = sources.front();
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (worth(sources[i]) == worth(best)) {
      const auto best_stays = stays(inputs, best, sources[i], load);
      if (!best_stays) return std::unexpected(best_stays.error());
      if (!*best_stays) best = sources[i];
    } else if (worth(sources[i]) > worth(best)) {
      best = sources[i];
    }
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
Record head_of(const std::vector<PartText>& inputs) {
  Record head;
  const Record& first = inputs.front().head;
  head.tool = first.tool;
  head.source = first.source;
  head.suite = first.suite;
  head.part = first.part;
  head.server = first.server;
  head.settings = first.settings;
  head.started = first.started;
  head.finished = first.finished;
  head.command = first.command;
  for (const PartText& input : inputs) {
    const Record& record = input.head;
    head.started = std::min(head.started, record.started);
    head.finished = std::max(head.finished, record.finished);
    head.command = std::min(head.command, record.command);
    head.seconds = std::max(head.seconds, record.seconds);
    if (record.server != head.server) head.server.reset();
    drop_different_limits(head.settings, record.settings);
    add_host_starts(head.settings, record.settings);
  }
  const auto from = seconds_of(head.started);
  const auto to = seconds_of(head.finished);
  // Clocks of different machines need not agree.
  if (from && to) head.seconds = std::max(head.seconds, *to - *from);
  return head;
}

/// Parts of which something is missing: those that nobody gave, and those with a case that nobody tried.
std::vector<int> missing_of(const std::vector<PartText>& inputs, const std::vector<bool>& tried) {
  std::vector<int> missing;
  if (std::ranges::all_of(tried, std::identity())) return missing;
  std::set<int> there;
  for (const PartText& input : inputs) {
    const Part& part = *input.head.part;
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
  for (int i = 1; i <= inputs.front().head.part->count; ++i) {
    if (!there.contains(i)) missing.push_back(i);
  }
  return missing;
}

/// Counts of two measurements of a case in one environment; empty where they agree.
Result<std::string> conflict_of(const std::vector<PartText>& inputs, const Occurrence& a, const Occurrence& b,
                                const MergedEnvironments& environments, const CaseTextLoader& load) {
  const CaseText& mine = at(inputs, a);
  const CaseText& theirs = at(inputs, b);
  if (!mine.has_counts || !theirs.has_counts || mine.varies || theirs.varies) return std::string();
  if (environments.key_of(a.input, mine) != environments.key_of(b.input, theirs)) return std::string();
  CaseRecord records[2];
  for (const auto& [source, record] : {std::pair(&a, &records[0]), std::pair(&b, &records[1])}) {
    const auto text = load(source->input, source->index);
    if (!text) return std::unexpected(text.error());
    auto read = case_from_json(*text, inputs[source->input].name);
    if (!read) return std::unexpected(read.error());
    *record = *std::move(read);
  }
  if (counts_agree(*records[0].counts, *records[1].counts)) return std::string();
  return fmt::format("{}: {:.2f} instructions in {}, {:.2f} in {}", mine.id, records[0].counts->per_iteration,
                     inputs[a.input].name, records[1].counts->per_iteration, inputs[b.input].name);
}

Status check_conflicts(const std::vector<PartText>& inputs, const Occurrences& sources,
                       const MergedEnvironments& environments, const CaseTextLoader& load) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> conflicts;
  for (const std::vector<Occurrence>& one : sources) {
    for (std::size_t i = 1; i < one.size(); ++i) {
      auto conflict = conflict_of(inputs, one.front(), one[i], environments, load);
      if (!conflict) return std::unexpected(conflict.error());
      if (!conflict->empty()) conflicts.push_back(*std::move(conflict));
    }
  }
  if (conflicts.empty()) return {};
  const std::size_t found = conflicts.size();
  conflicts.resize(std::min(found, kShown));
  return fail(
      ErrorKind::failed,
      fmt::format("counts of one case in one environment must be the same, and {} not: {}{}",
                  found == 1 ? "one is" : fmt::format("{} are", found), fmt::join(conflicts, "; "),
                  found > kShown ? "; …" : ""),
      {},
      "measure it again with --profiles on both machines and see where with `tally compare --functions`; report "
      "it as a bug of tally where the statement itself does the same each time");
}

/// The number of a machine of the merged record; in the order of their first cases.
std::size_t place_of(const Machine& machine, std::vector<Machine>& machines) {
  const auto known = std::ranges::find(machines, machine);
  const auto index = static_cast<std::size_t>(known - machines.begin());
  if (known == machines.end()) machines.push_back(machine);
  return index;
}

void say_missing(const std::vector<PartText>& inputs, const std::vector<bool>& tried, Merged& merged) {
  std::vector<int> missing = missing_of(inputs, tried);
  if (missing.empty()) return;
  for (const PartText& input : inputs) {
    const std::optional<int> index = input.head.part->index;
    if (index && contains(missing, *index) && !contains(merged.unready, *index)) merged.unready.push_back(*index);
  }
  std::ranges::sort(merged.unready);
  merged.head.part->missing = std::move(missing);
}

}  // namespace

Result<Merged> merge(const std::vector<PartText>& inputs, const MergeOptions& options, const CaseTextLoader& load) {
  if (auto alike = check_parts(inputs); !alike) return std::unexpected(alike.error());
  auto environments = MergedEnvironments::of(inputs, options.per_environment);
  if (!environments) return std::unexpected(environments.error());
  auto sources = gather(inputs);
  if (!sources) return std::unexpected(sources.error());
  if (auto agree = check_conflicts(inputs, *sources, *environments, load); !agree)
    return std::unexpected(agree.error());

  Merged merged{.head = head_of(inputs), .cases = {}, .unready = {}};
  Record& head = merged.head;
  head.environments = environments->all();
  std::vector<bool> tried(sources->size());
  std::vector<std::size_t> places;
  std::unordered_set<std::string_view> ids;
  for (std::size_t place = 0; place < sources->size(); ++place) {
    const std::vector<Occurrence>& here = (*sources)[place];
    if (here.empty()) continue;
    const auto best = best_of(inputs, here, load);
    if (!best) return std::unexpected(best.error());
    const CaseText& one = at(inputs, *best);
    if (!ids.insert(one.id).second) {
      return fail(ErrorKind::input, fmt::format("'{}' stands in two places of the plan", one.id),
                  inputs[best->input].name, "one of the records was edited; measure the part again");
    }
    tried[place] = one.tried;
    places.push_back(place);
    merged.cases.push_back({.input = best->input,
                            .index = best->index,
                            .place = {.machine = place_of(machine_of(inputs, *best), head.machines),
                                      .environment = environments->named_key_of(best->input, one),
                                      .profile = one.profile}});
  }
  if (head.machines.empty()) {
    const auto least = std::ranges::min_element(
        inputs, {}, [](const PartText& input) { return machine_key(input.head.machines.front()); });
    head.machines.push_back(least->head.machines.front());
  }
  head.part->index.reset();
  head.part->places.reset();
  head.part->missing.reset();
  if (places.size() < sources->size()) head.part->places = std::move(places);
  say_missing(inputs, tried, merged);
  set_fingerprints(head);
  return merged;
}

}  // namespace tally
