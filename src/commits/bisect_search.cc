#include "commits/bisect_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "records/record_files.h"

namespace tally {
namespace {

CommitName name_of(const LineCommit& commit) { return {commit.title.id, commit.title.author, commit.title.title}; }

std::string shown(const CommitName& commit) { return fmt::format("{} \"{}\"", short_commit(commit.id), commit.title); }

std::vector<CommitName> names_of(const std::vector<LineCommit>& line, std::size_t since, std::size_t at) {
  std::vector<CommitName> names;
  for (std::size_t i = since + 1; i <= at; ++i) names.push_back(name_of(line[i]));
  return names;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A record of one case, to be compared.
Record alone(const Reading& reading) {
  Record record;
  record.settings = reading.run->settings;
  record.machines = reading.run->machines;
  record.environments = reading.run->environments;
  record.fingerprint = reading.run->fingerprint;
  record.cases.push_back(*reading.of);
  return record;
}

std::vector<FunctionDelta> functions_between(const Reading& before, const Reading& after) {
  if (before.path.empty() || after.path.empty()) return {};
  const Record base = alone(before);
  const Record next = alone(after);
  const Comparison compared =
      compare(base, next, compare_options(),
              {.profiles = profile_loader(base, std::string(before.path), std::string(after.path))});
  if (compared.cases.empty()) return {};
  const CaseComparison& one = compared.cases.front();
  return one.python.empty() ? one.functions : one.python;
}

}  // namespace

const Reading& BisectSearch::reading(const LineCommit& commit, const std::string& id) const {
  return *readings_.at(commit.title.id, id);
}

Status BisectSearch::read_store() {
  const auto runs = runner_.store().runs();
  if (!runs) return std::unexpected(runs.error());
  for (const StoredRun& run : *runs) {
    if (run.suite != runner_.suite()) continue;
    auto record = runner_.store().load(run.file);
    if (!record) return std::unexpected(record.error());
    // A run of this bisect that was stopped, or came to its end, has left profiles.
    std::string beside = runner_.commits().profiles_of(run.commit);
    const auto kept = beside.empty() ? fail(ErrorKind::missing, "no profiles") : load_record(beside);
    if (kept && kept->started == record->started) {
      for (CaseRecord& one : record->cases) {
        if (const CaseRecord* const same = find_case(*kept, one.id)) one.profile = same->profile;
      }
    } else {
      beside.clear();
    }
    readings_.add_stored(*std::move(record), std::move(beside));
  }
  return {};
}

Result<CommitOutcome> BisectSearch::obtain(const CommitName& commit, const Ids& ids) {
  if (runner_.is_interrupted()) return fail(ErrorKind::interrupted, "interrupted");
  auto outcome = runner_.commits().measure(commit.id, ids);
  if (!outcome) return outcome;
  if (const auto* const failed = std::get_if<NotMeasured>(&*outcome)) {
    ++report_.builds;
    unbuilt_[commit.id] = *failed;
    report_.unbuilt.push_back({commit, failed->why, failed->log});
    runner_.say(fmt::format("{} {}", short_commit(commit.id), describe(*failed)));
    return outcome;
  }
  const auto& measured = std::get<MeasuredCommit>(*outcome);
  if (auto stored = runner_.store().add(measured.record, commit.id); !stored) return std::unexpected(stored.error());
  report_.builds += measured.was_built;
  if (measured.same_as.empty()) {
    ++report_.measured;
  } else {
    ++(measured.was_built ? report_.same_built : report_.same_files);
    runner_.say(fmt::format("{} has the {} of {}: its counts are carried forward", short_commit(commit.id),
                            measured.was_built ? "built files" : "files", short_commit(measured.same_as)));
  }
  fresh_.insert(commit.id);
  if (auto fits = readings_.add_fresh(measured.record, measured.path, ids); !fits) return std::unexpected(fits.error());
  return outcome;
}

Result<BisectSearch::Ids> BisectSearch::measure_end(const CommitName& commit) {
  if (auto known = runner_.complete_cases(commit.id)) {
    const bool all =
        std::ranges::all_of(*known, [&](const std::string& id) { return readings_.at(commit.id, id) != nullptr; });
    if (all && !known->empty()) return *std::move(known);
  }
  runner_.say(fmt::format("{}: building and measuring all cases", shown(commit)));
  const auto outcome = obtain(commit, {});
  if (!outcome) return std::unexpected(outcome.error());
  if (const auto* const failed = std::get_if<NotMeasured>(&*outcome)) {
    return fail(ErrorKind::failed, describe(*failed), shown(commit),
                "fix the build command, or name another commit for this end");
  }
  const Record& record = std::get<MeasuredCommit>(*outcome).record;
  runner_.keep_complete(commit.id, record);
  Ids ids;
  for (const CaseRecord& one : record.cases) ids.push_back(one.id);
  return ids;
}

Result<BisectSearch::Ids> BisectSearch::measure_ends(const Line& line) {
  auto ids = measure_end(name_of(line.front()));
  if (!ids) return ids;
  const auto of_bad = measure_end(name_of(line.back()));
  if (!of_bad) return of_bad;
  for (const std::string& id : *of_bad) {
    if (std::ranges::find(*ids, id) == ids->end()) ids->push_back(id);
  }
  return ids;
}

Bisection BisectSearch::bisection_of(const Line& line, const Ids& ids) const {
  const auto distance = [this, &line, &ids](std::size_t which, std::size_t before, std::size_t after) -> CountDistance {
    const Reading& base = reading(line[before], ids[which]);
    const Reading& next = reading(line[after], ids[which]);
    const CountChange change = count_change(*base.of, *next.of, {});
    return {change.change, (change.after - change.before) / change.threshold};
  };
  Bisection bisection(line.size() - 1, ids.size(), distance);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string& commit = line[i].title.id;
    if (unbuilt_.contains(commit)) bisection.set_unbuildable(i);
    for (std::size_t which = 0; which < ids.size(); ++which) {
      const Reading* const known = readings_.at(commit, ids[which]);
      if (known == nullptr) continue;
      if (known->has_count()) {
        bisection.set_count(which, i);
      } else {
        bisection.set_no_count(which, i);
      }
    }
  }
  return bisection;
}

Result<Bisection> BisectSearch::complete(const Line& line, const Ids& ids) {
  while (true) {
    Bisection bisection = bisection_of(line, ids);
    const auto next = bisection.next();
    if (!next) return bisection;
    if (limit_ && report_.builds >= *limit_) {
      report_.is_whole = false;
      return bisection;
    }
    Ids wanted;
    for (const std::size_t which : next->cases) wanted.push_back(ids[which]);
    const Bisection::Left left = bisection.left();
    runner_.say(fmt::format("{}: at most {} left, {} if one commit did it; {} to measure",
                            shown(name_of(line[next->commit])), counted(left.at_most, "build"), left.of_one_change,
                            counted(wanted.size(), "case")));
    if (auto outcome = obtain(name_of(line[next->commit]), wanted); !outcome) return std::unexpected(outcome.error());
  }
}

BisectChange BisectSearch::change_of(const Line& line, const Ids& ids, const Bisection& bisection,
                                     const BisectionFinding& finding) const {
  const std::string& id = ids[finding.which];
  const Reading& before = reading(line[finding.since], id);
  const Reading& after = reading(line[finding.at], id);
  BisectChange change{.id = id,
                      .counts = count_change(*before.of, *after.of, {}),
                      .candidates = names_of(line, finding.since, finding.at),
                      .unmeasurable = bisection.unmeasurable_between(finding.which, finding.since, finding.at),
                      .is_drift = finding.is_drift};
  for (const auto& [since, at] : finding.contributors) change.contributors.push_back(names_of(line, since, at));
  change.functions = functions_between(before, after);
  return change;
}

Result<std::vector<BisectChange>> BisectSearch::changes_of_merge(const Line& line, std::size_t at, const Ids& ids,
                                                                 const std::optional<CommitName>& outer) {
  const LineCommit& merge = line[at];
  const std::string& before = line[at - 1].title.id;
  std::vector<BisectChange> changes;
  std::map<std::string, double> brought;
  std::set<std::string> unknown;
  for (const std::string& parent : merge.parents) {
    if (parent == before) continue;
    const auto base = runner_.repository().merge_base(before, parent);
    if (!base) return std::unexpected(base.error());
    Line side;
    if (*base) {
      auto found = runner_.repository().line_between(**base, parent);
      if (!found) return std::unexpected(found.error());
      side = *std::move(found);
    }
    if (side.size() < 2) {
      unknown.insert(ids.begin(), ids.end());
      continue;
    }
    runner_.say(fmt::format("into the merge {}: {} commits", shown(name_of(merge)), side.size() - 1));
    auto found = changes_of(side, ids, outer ? outer : name_of(merge));
    if (!found) return found;
    std::ranges::move(*found, std::back_inserter(changes));
    for (const std::string& id : ids) {
      const Reading* const from = readings_.at(side.front().title.id, id);
      const Reading* const to = readings_.at(parent, id);
      if (from == nullptr || to == nullptr || !from->has_count() || !to->has_count()) {
        unknown.insert(id);
      } else {
        brought[id] += to->of->counts->per_iteration - from->of->counts->per_iteration;
      }
    }
  }
  for (const std::string& id : ids) {
    const Reading& base = reading(line[at - 1], id);
    const Reading& next = reading(merge, id);
    CountChange counts = count_change(*base.of, *next.of, {});
    const bool is_known = !unknown.contains(id);
    if (is_known) counts.before += brought[id];
    if (!is_real(counts)) continue;
    counts.change = relative_change(counts.before, counts.after);
    changes.push_back({.id = id,
                       .counts = counts,
                       .candidates = {name_of(merge)},
                       .merge = outer,
                       .is_of_merge = is_known,
                       .functions = functions_between(base, next)});
  }
  return changes;
}

Result<std::vector<BisectChange>> BisectSearch::changes_of(const Line& line, const Ids& ids,
                                                           const std::optional<CommitName>& merge) {
  const auto bisection = complete(line, ids);
  if (!bisection) return std::unexpected(bisection.error());
  std::vector<BisectChange> changes;
  const std::vector<BisectionFinding> findings = bisection->findings();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const BisectionFinding& finding = findings[i];
    const bool by_merge = !finding.is_drift && finding.at == finding.since + 1 && line[finding.at].is_merge();
    if (!by_merge) {
      BisectChange change = change_of(line, ids, *bisection, finding);
      change.merge = merge;
      changes.push_back(std::move(change));
      continue;
    }
    // All that came with one merge is looked for together. The findings are in the order of commits.
    Ids came;
    for (; i < findings.size() && findings[i].at == finding.at && findings[i].since == finding.since; ++i)
      came.push_back(ids[findings[i].which]);
    --i;
    auto found = changes_of_merge(line, finding.at, came, merge);
    if (!found) return found;
    std::ranges::move(*found, std::back_inserter(changes));
  }
  return changes;
}

UncomparedCase BisectSearch::why_not_compared(const Line& line, const std::string& id) const {
  for (const LineCommit* const end : {&line.front(), &line.back()}) {
    const Reading* const known = readings_.at(end->title.id, id);
    if (known != nullptr && known->has_count()) continue;
    std::string why = "there is no such case";
    if (known != nullptr && known->of != nullptr)
      why = known->of->failure ? known->of->failure->message : std::string(to_string(known->of->status));
    return {id, name_of(*end), why};
  }
  return {id, name_of(line.back()), {}};
}

Result<BisectReport> BisectSearch::search(const std::vector<LineCommit>& line) {
  report_ = {};
  report_.good = name_of(line.front());
  report_.bad = name_of(line.back());
  report_.commits = line.size() - 1;
  if (auto read = read_store(); !read) return std::unexpected(read.error());
  const auto ids = measure_ends(line);
  if (!ids) return std::unexpected(ids.error());
  for (const LineCommit& commit : line) {
    report_.stored += !fresh_.contains(commit.title.id) && std::ranges::any_of(*ids, [&](const std::string& id) {
      return readings_.at(commit.title.id, id) != nullptr;
    });
  }
  auto changes = changes_of(line, *ids, std::nullopt);
  if (!changes) return std::unexpected(changes.error());
  const Bisection bisection = bisection_of(line, *ids);
  for (std::size_t which = 0; which < ids->size(); ++which) {
    if (bisection.is_comparable(which)) {
      ++report_.cases;
    } else {
      report_.not_compared.push_back(why_not_compared(line, (*ids)[which]));
    }
  }
  std::set<std::string> changed;
  for (const BisectChange& change : *changes) changed.insert(change.id);
  report_.changed = changed.size();
  report_.changes = *std::move(changes);
  return report_;
}

}  // namespace tally
