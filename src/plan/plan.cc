#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/contains.h"
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
  auto meant = select(std::move(own),
                      {.filters = program.filters, .excludes = program.excludes, .shard = {}, .where = describe(at)});
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
  Plan plan{.cases = std::move(cases), .repeat = repeat, .toolchains = {}, .builds = {}, .artifacts = {}};
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> builds;
  std::map<std::pair<std::string, std::string>, std::size_t> artifacts;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& one = plan.cases[i];
    const bool in_program = !std::ranges::find(suite.toolchains(), one.toolchain, &Toolchain::name)->program.empty();
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

}  // namespace

Result<Plan> make_plan(const Suite& suite, const PlanOptions& options) {
  if (Status fine = check_repeat(options.repeat); !fine) return std::unexpected(fine.error());
  Result<std::vector<Case>> all = cases_of(suite);
  if (!all) return std::unexpected(all.error());
  Result<std::vector<Case>> cases = select(std::move(*all), options.selection);
  if (!cases) return std::unexpected(cases.error());
  return plan_of(suite, std::move(*cases), options.repeat);
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
  return std::array<Plan, 2>{plan_of(a, std::move(*of_a), options.repeat),
                             plan_of(b, std::move(*of_b), options.repeat)};
}

}  // namespace tally
