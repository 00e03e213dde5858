/// A run's plan: its cases in order, and what must be built first. Plain data, made without starting anything.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "definition/suite.h"
#include "expansion/case.h"
#include "plan/filter.h"
#include "plan/shard.h"

namespace tally {

/// One C++ shared object: equal snippets of one toolchain are built once. `threads` does not matter to a build.
struct CppBuild {
  std::string toolchain;
  Code stmt;
  Code setup;
  Code global_setup;
  std::vector<std::size_t> cases;  ///< Indices into Plan::cases.
};

/// One TorchScript model; equal scripts of one toolchain are run once.
struct ArtifactBuild {
  std::string toolchain;
  Artifact artifact;
  std::vector<std::size_t> cases;  ///< Indices into Plan::cases.
};

struct PlanOptions {
  Selection selection = {};
  int repeat = 1;  ///< How often the whole list of cases is measured.
};

struct Plan {
  std::vector<Case> cases;
  int repeat = 1;
  std::optional<Part> part;              ///< Of a whole plan; empty: it is the whole.
  std::vector<Toolchain> toolchains;     ///< Those that the cases name, in the suite's order.
  std::vector<CppBuild> builds;          ///< In the order of their first case.
  std::vector<ArtifactBuild> artifacts;  ///< In the order of their first case.
};

/// The cases of a suite: all of its definitions', and of each program those that its table means. Errors: a filter of a
/// program's that matches nothing, and expand's.
Result<std::vector<Case>> cases_of(const Suite& suite);

/// Errors: a filter that matches nothing, a repeat below one, and those of cases_of().
Result<Plan> make_plan(const Suite& suite, const PlanOptions& options);

/// The plans of two sides that are to be compared. What is selected is selected of both together: a filter may mean
/// what only one of them has, and a part holds the same cases on both. An error besides: they have no such case in
/// common.
Result<std::array<Plan, 2>> make_plans(const Suite& a, const Suite& b, const PlanOptions& options);

/// What a benchmark says of how its own cases are measured, as far as that moves a figure (limits do not): one text,
/// for digests.
std::string own_settings(const CaseSettings& said);

/// The text of `tally plan --json`, with a newline at its end: {"cases": [...]} in plan order, keys in a fixed order.
std::string plan_json(const Plan& plan);

}  // namespace tally
