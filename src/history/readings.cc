#include "history/readings.h"

#include <fmt/format.h>

#include <algorithm>

#include "comparison/count_change.h"

namespace tally {
namespace {

constexpr std::size_t kShortId = 10;

/// What distinguishes two environments: the first of the facts that differ.
std::string difference(const Environment& one, const Environment& other) {
  for (const auto& [name, fact] : one.facts) {
    const auto found = other.facts.find(name);
    if (found == other.facts.end() || found->second != fact) return name;
  }
  for (const auto& [name, fact] : other.facts) {
    if (!one.facts.contains(name)) return name;
  }
  return "its fingerprint";
}

}  // namespace

bool Reading::has_count() const {
  return of != nullptr && of->status == CaseStatus::ok && of->counts && !is_below_zero(of->counts->per_iteration);
}

Readings::Ground Readings::ground_of(const Record& run, const CaseRecord& one) {
  const Environment* const environment = environment_of(run, one);
  return {.environment = environment == nullptr ? "" : environment->fingerprint.environment,
          .definition = one.definition.digest,
          .started = run.started};
}

bool Readings::has_our_settings(const Record& run) const {
  const Settings& other = run.settings;
  return other.iterations.value_or(kUsualIterations) == settings_.iterations.value_or(kUsualIterations) &&
         other.cache_sim == settings_.cache_sim && other.branch_sim == settings_.branch_sim &&
         other.isolation == settings_.isolation && other.counts;
}

void Readings::index(const Record& run, const std::string& path) {
  for (const CaseRecord& one : run.cases) {
    // Skipped: nobody tried it, or it requested that itself; then it has no count at other times either.
    readings_[{run.source->commit, one.id}].push_back({.run = &run, .of = &one, .path = path});
  }
}

void Readings::add_stored(Record record, std::string path) {
  if (!record.source || !has_our_settings(record)) return;
  const Record& run = runs_.emplace_back(std::move(record));
  index(run, paths_.emplace_back(std::move(path)));
  for (const CaseRecord& one : run.cases) {
    Ground& ground = grounds_[one.id];
    if (ground.fresh == nullptr && run.started >= ground.started) ground = ground_of(run, one);
  }
}

Status Readings::add_fresh(Record record, std::string path, const std::vector<std::string>& asked) {
  const Record& run = runs_.emplace_back(std::move(record));
  index(run, paths_.emplace_back(std::move(path)));
  for (const std::string& id : asked) {
    auto& known = readings_[{run.source->commit, id}];
    if (find_case(run, id) == nullptr) known.push_back({.run = &run, .of = nullptr, .path = {}});
  }
  for (const CaseRecord& one : run.cases) {
    Ground& ground = grounds_[one.id];
    Ground now = ground_of(run, one);
    now.fresh = &run;
    if (ground.fresh != nullptr && ground.environment != now.environment) {
      const Environment* const before = environment_of(*ground.fresh, *find_case(*ground.fresh, one.id));
      return fail(ErrorKind::input,
                  fmt::format("'{}' ran in another environment at {} than at {}: {} differs", one.id,
                              run.source->commit.substr(0, kShortId), ground.fresh->source->commit.substr(0, kShortId),
                              before == nullptr ? "its fingerprint" : difference(*before, *environment_of(run, one))),
                  "",
                  "name what the build makes as `subject`, of the toolchain or of [[program]] in the suite "
                  "(docs/guides/bisect.md)");
    }
    ground = std::move(now);
  }
  return {};
}

const Reading* Readings::at(const std::string& commit, const std::string& id) const {
  const auto found = readings_.find({commit, id});
  if (found == readings_.end()) return nullptr;
  const Reading* last = nullptr;
  for (const Reading& one : found->second) {
    const auto ground = grounds_.find(id);
    const bool fits =
        one.of == nullptr || (ground != grounds_.end() && ground->second.fits(ground_of(*one.run, *one.of)));
    if (fits && (last == nullptr || one.run->started >= last->run->started)) last = &one;
  }
  return last;
}

}  // namespace tally
