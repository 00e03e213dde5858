#include "comparison/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "base/contains.h"
#include "comparison/cause.h"
#include "comparison/count_change.h"
#include "comparison/device_change.h"
#include "comparison/metric.h"
#include "comparison/process_shift.h"
#include "profile/python_functions.h"

namespace tally {
namespace {

std::optional<TimeChange> time_change(const Wall& base, const Wall& next, const CompareOptions& options) {
  const auto ratio = ratio_interval(samples_by_child(base), samples_by_child(next));
  if (!ratio) return std::nullopt;
  TimeChange change{.before_s = base.median_s,
                    .after_s = next.median_s,
                    .change = relative_change(base.median_s, next.median_s),
                    .ratio = *ratio,
                    .verdict = Verdict::same};
  if (ratio->low > 1 && change.change > options.least_time_change) change.verdict = Verdict::slower;
  if (ratio->high < 1 && change.change < -options.least_time_change) change.verdict = Verdict::faster;
  return change;
}

/// "torch/nn/functional.py: changed", for each that did; nothing where the files of a side are not known.
std::vector<std::string> changed_files(std::string_view key, const std::string& from, const std::string& to,
                                       const CompareOptions& options) {
  std::vector<std::string> changes;
  if (!options.files || !key.ends_with(kAllSources)) return changes;
  const std::map<std::string, std::string> before = options.files(from);
  const std::map<std::string, std::string> after = options.files(to);
  if (before.empty() || after.empty()) return changes;
  const std::string_view folder = key.substr(0, key.size() - kAllSources.size());
  for (const auto& [file, digest] : before) {
    const auto now = after.find(file);
    if (now == after.end()) changes.push_back(fmt::format("{}/{}: gone", folder, file));
    if (now != after.end() && now->second != digest) changes.push_back(fmt::format("{}/{}: changed", folder, file));
  }
  for (const auto& [file, digest] : after) {
    if (!before.contains(file)) changes.push_back(fmt::format("{}/{}: new", folder, file));
  }
  return changes;
}

using Facts = std::map<std::string, std::string>;

bool says_mapped(const Facts& facts) {
  const auto first = facts.lower_bound(std::string(kMappedFact));
  return first != facts.end() && first->first.starts_with(kMappedFact);
}

/// Whether the environment is one of an older record, for both languages: it has facts of the other one too.
bool serves_both(const Record& record, const CaseRecord& one) {
  return environment_of(record, one) != nullptr && record.environments.contains(one.toolchain);
}

std::vector<std::string> changed_facts(const Facts& before, const Facts& after, bool common_only,
                                       const CompareOptions& options) {
  std::vector<std::string> changes;
  // Older records do not say what hosts had mapped.
  const bool mapped = says_mapped(before) && says_mapped(after);
  const auto note = [&](const std::string& key, const std::string& from, const std::string& to) {
    if (common_only && (from.empty() || to.empty())) return;
    if (from == to || (!mapped && key.starts_with(kMappedFact))) return;
    const std::vector<std::string> files = changed_files(key, from, to, options);
    changes.insert(changes.end(), files.begin(), files.end());
    if (files.empty())
      changes.push_back(fmt::format("{}: {} → {}", key, from.empty() ? "none" : from, to.empty() ? "none" : to));
  };
  for (const auto& [key, value] : before) {
    const auto it = after.find(key);
    note(key, value, it == after.end() ? "" : it->second);
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) note(key, "", value);
  }
  return changes;
}

/// The subject's file that is called otherwise now: the only one that is gone, and the only one that is new.
RenamedObject renamed_subject(const CaseComparison& one, const Record& base, const Record& next) {
  const Environment* before = environment_of(base, *one.base);
  const Environment* after = environment_of(next, *one.next);
  if (before == nullptr || after == nullptr) return {};
  const auto only_in = [](const Facts& these, const Facts& those) {
    std::vector<std::string> names;
    for (const auto& [name, digest] : these)
      if (!those.contains(name)) names.push_back(name);
    return names;
  };
  const std::vector<std::string> gone = only_in(before->subject, after->subject);
  const std::vector<std::string> added = only_in(after->subject, before->subject);
  if (gone.size() != 1 || added.size() != 1) return {};
  return {gone.front(), added.front()};
}

bool is_about(const std::string& change, std::string_view fact) { return change.starts_with(std::string(fact) + ": "); }

/// Whether both sides name the folder, and counts may follow from how they differ.
bool moves_counts(std::string_view folder, const std::optional<std::map<std::string, std::string>>& before,
                  const std::optional<std::map<std::string, std::string>>& after) {
  if (!before || !after) return false;
  const auto old = before->find(std::string(folder));
  const auto now = after->find(std::string(folder));
  if (old == before->end() || now == after->end()) return false;
  return folder != kProgramFolder || old->second.size() != now->second.size();
}

void compare_environments(const Record& base, const Record& next, const CompareOptions& options,
                          CaseComparison& result) {
  const Environment* before = environment_of(base, *result.base);
  const Environment* after = environment_of(next, *result.next);
  if (before == nullptr || after == nullptr) return;
  const bool old = serves_both(base, *result.base) != serves_both(next, *result.next);
  result.environment_changes = changed_facts(before->facts, after->facts, old, options);
  // Of a run's commands each has programs of its own.
  if (result.shown().language != "command")
    result.subject_changes = changed_facts(before->subject, after->subject, old, options);
  if (result.base->processes && result.next->processes) {
    for (std::string& change : changed_programs(*result.base->processes, *result.next->processes)) {
      if (!contains(result.subject_changes, change)) result.subject_changes.push_back(std::move(change));
    }
  }
  if (before->machine && after->machine)
    result.machine_changes = changed_facts(*before->machine, *after->machine, old, options);
  for (const std::string_view folder : {kPythonFolder, kProgramFolder}) {
    if (!moves_counts(folder, before->machine, after->machine))
      std::erase_if(result.machine_changes, [&](const std::string& change) { return is_about(change, folder); });
  }
}

void compare_times(const CaseRecord& base, const CaseRecord& next, const CompareOptions& options,
                   CaseComparison& result) {
  if (!base.wall || !next.wall) return;
  const std::string why = why_times_refused(result, {.processor = true, .device = true, .cache = true});
  if (why.empty()) {
    result.time = time_change(*base.wall, *next.wall, options);
  } else {
    result.notes.push_back({NoteCode::times_refused, "times not compared: " + why});
  }
}

Verdict direction(double delta, double threshold) {
  if (std::abs(delta) <= threshold) return Verdict::same;
  return delta > 0 ? Verdict::slower : Verdict::faster;
}

/// Of two sides that both have counts; "" where nothing stands against comparing them.
std::string why_counts_refused(const Comparison& run, const CaseRecord& base, const CaseRecord& next,
                               const CompareOptions& options) {
  if (!base.counts || !next.counts) return {};
  CountTerms of_base = terms_of(run.base->settings, base);
  const CountTerms of_next = terms_of(run.next->settings, next);
  if (doubt_of_iterations(*base.counts, *next.counts)) of_base.iterations = of_next.iterations;
  std::string why = why_not_comparable(of_base, of_next);
  if (!why.empty()) return why;
  return why_no_figures(base.counts->per_iteration, next.counts->per_iteration, options.threshold);
}

/// Whether both sides report a figure: then they are compared by it, or the note says why they are not.
bool compare_figures(CaseComparison& result, const CompareOptions& options) {
  const auto before = reported_figure(*result.base);
  const auto after = reported_figure(*result.next);
  if (!before || !after) return false;
  if (before->unit != after->unit) {
    result.verdict = Verdict::refused;
    result.notes.push_back(
        {NoteCode::units_differ, fmt::format("values not compared: '{}' is not '{}'", before->unit, after->unit)});
    return true;
  }
  const CountChange moved = reported_change(*before, *after, options.threshold);
  result.value = ValueChange{.before = moved.before, .after = moved.after, .change = moved.change, .unit = moved.unit};
  result.verdict = direction(moved.after - moved.before, moved.threshold);
  return true;
}

const DeviceWork* work_of(const CaseRecord& one) {
  return one.on_device && one.on_device->work ? &*one.on_device->work : nullptr;
}

/// They are counted exactly. Where all else is the same, they decide.
void compare_kernels(CaseComparison& result) {
  const DeviceWork* const before = work_of(*result.base);
  const DeviceWork* const after = work_of(*result.next);
  if (before == nullptr || after == nullptr || !kernels_changed(*before, *after)) return;
  result.notes.push_back({NoteCode::kernels_changed, describe_kernel_change(*before, *after)});
  if (result.verdict == Verdict::same) result.verdict = direction(after->kernels - before->kernels, 0);
}

/// Another precision of products or another choice of algorithms has other times and kernels, whatever the code.
void compare_device_settings(CaseComparison& result) {
  if (!result.base->on_device || !result.next->on_device) return;
  for (std::string& change : changed_settings(*result.base->on_device, *result.next->on_device)) {
    result.notes.push_back({NoteCode::device_settings_changed, "the device is used otherwise: " + change});
    result.environment_changes.push_back(std::move(change));
  }
}

void compare_pair(const Comparison& run, CaseComparison& result, const CompareOptions& options) {
  const CaseRecord& base = *result.base;
  const CaseRecord& next = *result.next;
  compare_environments(*run.base, *run.next, options, result);
  result.definition_changed = base.definition.digest != next.definition.digest;
  if (result.definition_changed)
    result.notes.push_back({NoteCode::definition_changed, "the definition changed under this id"});
  compare_device_settings(result);
  compare_times(base, next, options, result);
  result.counts_refused = why_counts_refused(run, base, next, options);
  if (!result.counts_refused.empty()) {
    result.verdict = Verdict::refused;
    result.notes.push_back({NoteCode::counts_refused, "counts not compared: " + result.counts_refused});
    return;
  }
  if (base.counts && next.counts) {
    result.counts = count_change(base, next, options.threshold, options.denoise);
    result.verdict = direction(result.counts->after - result.counts->before, result.counts->threshold);
    if (base.counts->iterations != next.counts->iterations)
      result.notes.push_back(
          {NoteCode::iterations_differ,
           fmt::format("executed {} and {} times: compared, as an execution takes the same however many there are",
                       base.counts->iterations, next.counts->iterations)});
    if (is_below_zero(result.counts->before))
      result.notes.push_back(
          {NoteCode::base_below_zero,
           "the count of the base is below zero, which is not a valid count: what is there now came from nothing"});
    if (next.reused && result.verdict != Verdict::same)
      result.notes.push_back(
          {NoteCode::count_reused, "the new count was reused from an earlier run, of " + *next.reused});
  } else if (result.time) {
    result.verdict = result.time->verdict;
    std::ranges::copy(result.machine_changes, std::back_inserter(result.environment_changes));
  } else if (compare_figures(result, options)) {
    if (result.verdict == Verdict::refused) return;
    std::ranges::copy(result.machine_changes, std::back_inserter(result.environment_changes));
  } else if (!work_of(base) || !work_of(next)) {
    result.verdict = Verdict::refused;
    if (result.notes.empty() || result.notes.back().code != NoteCode::times_refused)
      result.notes.push_back(
          {NoteCode::nothing_to_compare,
           "nothing to compare: the two sides share neither counts nor enough samples of times above 0"});
    return;
  }
  compare_kernels(result);
  const bool changed = result.verdict == Verdict::slower || result.verdict == Verdict::faster;
  if (changed && options.environment_softens && !result.environment_changes.empty())
    result.verdict = Verdict::changed_environment;
}

constexpr std::size_t kMostCalls = 4000;

void compare_profiles(const StoredProfile& before, const StoredProfile& after, const RenamedObject& renamed,
                      CaseComparison& one) {
  const auto cost = [](const CaseRecord& side) { return side.counts ? side.counts->per_iteration : 0; };
  one.functions = function_deltas(before, after, renamed);
  one.path = path_of_change(call_tree_delta({&before, cost(*one.base)}, {&after, cost(*one.next)}, kMostCalls));
}

void compare_python(const StoredProfile& before, const StoredProfile& after, CaseComparison& one) {
  one.python =
      function_deltas({python_only(before.profile), before.iterations}, {python_only(after.profile), after.iterations});
  one.path = path_of_change(call_tree_delta({&before, cost_of(before)}, {&after, cost_of(after)}, kMostCalls));
}

/// What `load` gives of both sides, to `use`.
template <typename Loader, typename Use, typename... What>
void of_both(const Loader& load, const Comparison& sides, const CaseComparison& one, const Use& use, What... what) {
  if (!load) return;
  const auto before = load(*sides.base, *one.base, what...);
  const auto after = load(*sides.next, *one.next, what...);
  if (before && after) use(*before, *after);
}

void add_evidence(const Evidence& kept, const Comparison& sides, CaseComparison& one) {
  if (one.base == nullptr || one.next == nullptr) return;
  of_both(kept.allocations, sides, one,
          [&](const auto& before, const auto& after) { one.allocations = allocation_deltas(before, after); });
  if (!has_moved(one)) return;
  of_both(
      kept.profiles, sides, one,
      [&](const auto& before, const auto& after) {
        compare_profiles(before, after, renamed_subject(one, *sides.base, *sides.next), one);
      },
      ProfileOf::native);
  of_both(
      kept.profiles, sides, one, [&](const auto& before, const auto& after) { compare_python(before, after, one); },
      ProfileOf::python);
  of_both(kept.lines, sides, one,
          [&](const auto& before, const auto& after) { one.lines = moved_lines(line_deltas(&before, after)); });
}

double size_of(const CaseComparison& one) {
  return one.counts  ? std::abs(one.counts->change)
         : one.time  ? std::abs(one.time->change)
         : one.value ? std::abs(one.value->change)
                     : 0;
}

}  // namespace

std::string why_times_refused(const CaseComparison& one, const TimesOf& of) {
  const CaseRecord& base = *one.base;
  const CaseRecord& next = *one.next;
  const bool is_on_device = base.on_device || next.on_device;
  if (of.cache && base.on_device && next.on_device) {
    if (std::string why = why_device_times_refused(*base.on_device, *next.on_device); !why.empty()) return why;
  }
  for (const std::string& change : one.machine_changes) {
    if (of.processor && change.starts_with("cpu: ")) return fmt::format("they are of two processors ({})", change);
    // Of a side that names no card, nothing is known.
    if (of.device && is_on_device && change.starts_with("gpu: ") && !change.starts_with("gpu: none") &&
        !change.ends_with("none"))
      return fmt::format("they are of two devices ({})", change);
  }
  return {};
}

bool is_of_folder(const std::string& change) {
  return is_about(change, kPythonFolder) || is_about(change, kProgramFolder);
}

std::string_view to_string(NoteCode code) {
  using enum NoteCode;
  switch (code) {
    case definition_changed:
      return "definition_changed";
    case counts_refused:
      return "counts_refused";
    case iterations_differ:
      return "iterations_differ";
    case base_below_zero:
      return "base_below_zero";
    case count_reused:
      return "count_reused";
    case kernels_changed:
      return "kernels_changed";
    case device_settings_changed:
      return "device_settings_changed";
    case nothing_to_compare:
      return "nothing_to_compare";
    case units_differ:
      return "units_differ";
    case times_refused:
      return "times_refused";
    case skipped:
      return "skipped";
    case failed:
      return "failed";
    case base_unusable:
      return "base_unusable";
    case results_differ:
      return "results_differ";
    case results_unknown:
      return "results_unknown";
  }
  return "unknown";
}

std::vector<std::string> CaseComparison::note_texts() const {
  std::vector<std::string> texts;
  texts.reserve(notes.size());
  for (const Note& note : notes) texts.push_back(note.text);
  return texts;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
      return "failed";
    case Verdict::gone:
      return "gone";
    case Verdict::slower:
      return "slower";
    case Verdict::changed_environment:
      return "changed environment";
    case Verdict::faster:
      return "faster";
    case Verdict::refused:
      return "not compared";
    case Verdict::added:
      return "new";
    case Verdict::same:
      return "same";
  }
  return "failed";
}

bool has_moved(const CaseComparison& one) {
  return one.verdict == Verdict::slower || one.verdict == Verdict::faster ||
         one.verdict == Verdict::changed_environment;
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(cases, verdict, &CaseComparison::verdict));
}

Comparison compare(const Record& base, const Record& next, const CompareOptions& options, const Evidence& kept) {
  Comparison result{&base, &next, {}};
  std::unordered_map<std::string_view, const CaseRecord*> by_id;
  for (const CaseRecord& one : base.cases) by_id.emplace(one.id, &one);
  for (const CaseRecord& one : next.cases) {
    CaseComparison& comparison = result.cases.emplace_back();
    comparison.id = one.id;
    comparison.next = &one;
    const auto known = by_id.find(one.id);
    if (known != by_id.end()) {
      comparison.base = known->second;
      by_id.erase(known);
    }
    const bool base_usable = comparison.base && comparison.base->status == CaseStatus::ok;
    if (one.status == CaseStatus::skipped) {
      const bool in_both = comparison.base && comparison.base->status == CaseStatus::skipped;
      comparison.verdict = base_usable ? Verdict::gone : Verdict::refused;
      comparison.notes.push_back({NoteCode::skipped, !was_tried(one) ? "the new run was interrupted before it"
                                                     : in_both       ? "skipped in both runs"
                                                                     : "skipped in the new run"});
    } else if (one.status != CaseStatus::ok) {
      comparison.verdict = Verdict::failed;
      if (one.failure) comparison.notes.push_back({NoteCode::failed, one.failure->message});
    } else if (!base_usable) {
      comparison.verdict = Verdict::added;
      if (comparison.base)
        comparison.notes.push_back(
            {NoteCode::base_unusable, fmt::format("{} in the base", to_string(comparison.base->status))});
    } else {
      compare_pair(result, comparison, options);
    }
  }
  for (const CaseRecord& one : base.cases) {
    if (!by_id.contains(one.id)) continue;
    CaseComparison& comparison = result.cases.emplace_back();
    comparison.id = one.id;
    comparison.base = &one;
    comparison.verdict = Verdict::gone;
  }
  for (CaseComparison& one : result.cases) {
    add_evidence(kept, result, one);
    if (has_moved(one)) one.cause = likely_cause(one);
  }
  std::vector<std::size_t> order(result.cases.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::tuple(result.cases[i].verdict, -size_of(result.cases[i]), i); });
  std::vector<CaseComparison> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(result.cases[i]));
  result.cases = std::move(sorted);
  return result;
}

}  // namespace tally
