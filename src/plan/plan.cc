#include "plan/plan.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/contains.h"
#include "expansion/expand.h"

namespace tally {

Result<Plan> make_plan(const Suite& suite, const PlanOptions& options) {
  if (options.repeat < 1) {
    return fail(ErrorKind::input, fmt::format("a suite is repeated at least once, not {} times", options.repeat),
                "--repeat", "write --repeat 3");
  }
  Result<std::vector<Case>> all = expand(suite);
  if (!all) return std::unexpected(all.error());
  Result<std::vector<Case>> cases = select(std::move(*all), options.selection);
  if (!cases) return std::unexpected(cases.error());

  Plan plan{.cases = std::move(*cases), .repeat = options.repeat, .toolchains = {}, .builds = {}, .artifacts = {}};
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> builds;
  std::map<std::pair<std::string, std::string>, std::size_t> artifacts;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& one = plan.cases[i];
    if (one.language == Language::cpp) {
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

}  // namespace tally
