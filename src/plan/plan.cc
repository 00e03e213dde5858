#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/contains.h"
#include "base/digest.h"
#include "expansion/expand.h"

namespace tally {

namespace {

/// Takes away what a program's table does not mean of its cases.
Status keep_meant(std::vector<Case>& cases, const Program& program) {
  if (program.filters.empty() && program.excludes.empty()) return {};
  const std::string toolchain = toolchain_of(program);
  std::vector<Case> own;
  std::ranges::copy_if(cases, std::back_inserter(own), [&](const Case& one) { return one.toolchain == toolchain; });
  const SourcePosition& at = program.filter_at.line > 0 ? program.filter_at : program.at.definition;
  auto meant =
      select(std::move(own), {.filters = program.filters, .excludes = program.excludes, .where = describe(at)});
  if (!meant) return std::unexpected(meant.error());
  std::set<std::string> ids;
  for (const Case& one : *meant) ids.insert(one.id);
  std::erase_if(cases, [&](const Case& one) { return one.toolchain == toolchain && !ids.contains(one.id); });
  return {};
}

}  // namespace

Result<std::vector<Case>> cases_of(const Suite& suite) {
  auto cases = expand(suite);
  if (!cases) return cases;
  for (const Program& program : suite.programs()) {
    if (Status ok = keep_meant(*cases, program); !ok) return std::unexpected(ok.error());
  }
  return cases;
}

namespace {

Status check_repeat(int repeat) {
  if (repeat >= 1) return {};
  return fail(ErrorKind::input, fmt::format("a suite is repeated at least once, not {} times", repeat), "--repeat",
              "write --repeat 3");
}

Plan plan_of(const Suite& suite, std::vector<Case> cases, int repeat) {
  Plan plan{.cases = std::move(cases), .repeat = repeat, .part = {}, .toolchains = {}, .builds = {}, .artifacts = {}};
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> builds;
  std::map<std::pair<std::string, std::string>, std::size_t> artifacts;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& one = plan.cases[i];
    const bool in_program =
        !std::ranges::find(suite.toolchains(), one.toolchain, &Toolchain::name)->own_host.executable.empty();
    if (one.language == Language::cpp && !in_program) {
      const auto [at, added] = builds.try_emplace(
          {one.toolchain, one.stmt.text(), one.setup.text(), one.global_setup.text()}, plan.builds.size());
      if (added) plan.builds.push_back({one.toolchain, one.stmt, one.setup, one.global_setup, {}});
      plan.builds[at->second].cases.push_back(i);
    }
    if (one.artifact) {
      const auto [at, added] = artifacts.try_emplace({one.toolchain, one.artifact->digest}, plan.artifacts.size());
      if (added) plan.artifacts.push_back({one.toolchain, *one.artifact, {}});
      plan.artifacts[at->second].cases.push_back(i);
    }
  }
  for (const Toolchain& toolchain : suite.toolchains()) {
    if (contains(plan.cases, toolchain.name, &Case::toolchain)) plan.toolchains.push_back(toolchain);
  }
  return plan;
}

using Parts = std::map<std::string, int>;  ///< The part of each case, by id.

Parts deal_cases(const std::vector<Case>& cases, const Selection& selection) {
  std::vector<std::string> ids;
  ids.reserve(cases.size());
  for (const Case& one : cases) ids.push_back(one.id);
  const int count = selection.shard->count;
  const std::vector<int> dealt =
      selection.last_times ? deal_by_times(ids, count, *selection.last_times) : deal(ids, count);
  Parts parts;
  for (std::size_t i = 0; i < ids.size(); ++i) parts[ids[i]] = dealt[i];
  return parts;
}

/// Leaves the cases of this part alone; what is to be known of the whole.
Part keep_part(std::vector<Case>& cases, const Shard& shard, const Parts& parts) {
  Part part{.index = shard.index,
            .count = shard.count,
            .digest = {},
            .cases = cases.size(),
            .places = std::vector<std::size_t>(),
            .missing = {}};
  Digest whole;
  whole.add(fmt::format("{} parts", shard.count));
  std::vector<Case> own;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    const int index = parts.at(one.id);
    whole.add(one.id).add(one.digest).add(own_settings(one.settings)).add(fmt::format("{}", index));
    if (index != shard.index) continue;
    part.places->push_back(i);
    own.push_back(std::move(cases[i]));
  }
  part.digest = whole.hex();
  cases = std::move(own);
  return part;
}

/// The plan of all of these cases, or of one part.
Plan plan_of_part(const Suite& suite, std::vector<Case> cases, const PlanOptions& options, const Parts& parts) {
  if (!options.selection.shard) return plan_of(suite, std::move(cases), options.repeat);
  Part part = keep_part(cases, *options.selection.shard, parts);
  Plan plan = plan_of(suite, std::move(cases), options.repeat);
  plan.part = std::move(part);
  return plan;
}

}  // namespace

std::string own_settings(const CaseSettings& said) {
  const auto text = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("default"); };
  const auto count = [](const auto& time) { return time ? std::optional(time->count()) : std::nullopt; };
  return fmt::format("{} {} {} {} {} {}", text(said.iterations), text(said.replicates), text(count(said.min_run_time)),
                     text(count(said.max_run_time)), text(said.precision),
                     said.entropy ? static_cast<int>(*said.entropy) : -1);
}

Result<Plan> make_plan(const Suite& suite, const PlanOptions& options) {
  if (Status fine = check_repeat(options.repeat); !fine) return std::unexpected(fine.error());
  Result<std::vector<Case>> all = cases_of(suite);
  if (!all) return std::unexpected(all.error());
  Result<std::vector<Case>> cases = select(std::move(*all), options.selection);
  if (!cases) return std::unexpected(cases.error());
  const Parts parts = options.selection.shard ? deal_cases(*cases, options.selection) : Parts();
  return plan_of_part(suite, std::move(*cases), options, parts);
}

Result<std::array<Plan, 2>> make_plans(const Suite& a, const Suite& b, const PlanOptions& options) {
  if (Status fine = check_repeat(options.repeat); !fine) return std::unexpected(fine.error());
  auto of_a = cases_of(a);
  if (!of_a) return std::unexpected(of_a.error());
  auto of_b = cases_of(b);
  if (!of_b) return std::unexpected(of_b.error());
  std::map<std::string, int> sides;  // how many have it
  for (const Case& one : *of_a) ++sides[one.id];
  std::vector<Case> both = *of_a;
  for (const Case& one : *of_b) {
    if (++sides[one.id] == 1) both.push_back(one);
  }
  auto selected = select(std::move(both), options.selection);
  if (!selected) return std::unexpected(selected.error());
  std::set<std::string> ids;
  bool in_common = false;
  for (const Case& one : *selected) {
    ids.insert(one.id);
    in_common = in_common || sides.at(one.id) == 2;
  }
  if (!in_common && !ids.empty()) {
    return fail(ErrorKind::input,
                fmt::format("the two sides have no case in common: '{}' is on one alone", *ids.begin()), {},
                "see which each has with `tally list`");
  }
  for (std::vector<Case>* side : {&*of_a, &*of_b})
    std::erase_if(*side, [&](const Case& one) { return !ids.contains(one.id); });
  const Parts parts = options.selection.shard ? deal_cases(*selected, options.selection) : Parts();
  return std::array<Plan, 2>{plan_of_part(a, std::move(*of_a), options, parts),
                             plan_of_part(b, std::move(*of_b), options, parts)};
}

}  // namespace tally
