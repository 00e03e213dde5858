#include "run/toolchains.h"

#include <algorithm>

#include "execution/environment.h"
#include "run/import_check.h"

namespace tally {

namespace {

using Toolchains = std::map<std::string, ResolvedToolchain>;

bool needs_python(const Case& one) { return one.language == Language::python || one.artifact; }
bool needs_cpp(const Case& one) { return one.language == Language::cpp; }

/// Was needed, and does not work.
bool broken(const auto& tool) { return tool && !*tool; }

Toolchains resolve(ProcessRunner& runner, const Plan& plan, const Tools& tools, const RunEnvironment& environment) {
  Toolchains resolved;
  for (const Toolchain& spec : plan.toolchains) resolved[spec.name].spec = spec;
  const ResolveContext context{environment.full, environment.working_folder};
  for (auto& [name, toolchain] : resolved) {
    if (!tools.cxx.empty()) toolchain.spec.cxx = {tools.cxx};
    if (!tools.python.empty()) toolchain.spec.python = {tools.python};
    const auto any = [&](auto needs) {
      return std::ranges::any_of(plan.cases, [&](const Case& one) { return one.toolchain == name && needs(one); });
    };
    if (any(needs_cpp)) toolchain.compiler = resolve_compiler(runner, toolchain.spec, context);
    if (any(needs_python)) toolchain.interpreter = resolve_interpreter(runner, toolchain.spec, context);
  }
  return resolved;
}

Status check_usable(const Toolchains& toolchains, const Plan& plan, const Tools& tools) {
  const bool some = std::ranges::any_of(plan.cases, [&](const Case& one) {
    const ResolvedToolchain& resolved = toolchains.at(one.toolchain);
    return !(needs_python(one) && broken(resolved.interpreter)) && !(needs_cpp(one) && broken(resolved.compiler));
  });
  const bool compiler_may_fail = some && tools.cxx.empty();
  const bool interpreter_may_fail = some && tools.env_command.empty() && tools.python.empty();
  const auto mistake = [](Error error) {
    error.kind = ErrorKind::input;
    return std::unexpected(std::move(error));
  };
  for (const auto& [name, resolved] : toolchains) {
    if (!interpreter_may_fail && broken(resolved.interpreter)) return mistake(resolved.interpreter->error());
    if (!compiler_may_fail && broken(resolved.compiler)) return mistake(resolved.compiler->error());
  }
  return {};
}

}  // namespace

Result<RunEnvironment> run_environment(Workspace& workspace, const Tools& tools, const Settings& settings) {
  const Surroundings& around = workspace.surroundings();
  RunEnvironment environment{around.environment, {}, around.working_folder};
  if (!tools.env_command.empty()) {
    auto captured =
        capture_environment(workspace.runner(), tools.env_command, around.environment, around.working_folder);
    if (!captured) return std::unexpected(captured.error());
    environment.full = std::move(captured->variables);
    environment.working_folder = std::move(captured->working_folder);
  }
  environment.filtered = filter_environment(environment.full, settings.kept_environment);
  return environment;
}

Result<Toolchains> resolve_toolchains(ProcessRunner& runner, const Plan& plan, const Tools& tools,
                                      const RunEnvironment& environment, const std::filesystem::path& cache) {
  Toolchains toolchains = resolve(runner, plan, tools, environment);
  check_imports(runner, toolchains, environment.filtered, environment.working_folder, cache);
  if (auto usable = check_usable(toolchains, plan, tools); !usable) return std::unexpected(usable.error());
  return toolchains;
}

}  // namespace tally
