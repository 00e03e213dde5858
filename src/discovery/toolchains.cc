#include "discovery/toolchains.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/contains.h"
#include "base/output_place.h"
#include "base/text.h"
#include "discovery/discovery.h"
#include "hosts/carried_images.h"
#include "hosts/environment.h"
#include "hosts/host_images.h"
#include "json/text.h"

namespace tally {

namespace {

using Toolchains = std::map<std::string, ResolvedToolchain>;

bool needs_python(const Case& one) { return one.language == Language::python || one.artifact; }
bool needs_cpp(const Case& one) { return one.language == Language::cpp; }

/// Was needed, and does not work.
bool broken(const auto& tool) { return tool && !*tool; }

/// Where C++ follows what Python imports, and cannot.
Error no_cpp(const Toolchain& toolchain, const std::string& why, const std::string& hint = "") {
  return {ErrorKind::missing, fmt::format("no C++ with toolchain '{}': {}", toolchain.name, why), {}, hint};
}

/// A requested environment is what is measured, or nothing is.
Error not_in_the_environment(const Toolchain& toolchain, const std::string& passed_over) {
  return {ErrorKind::input,
          fmt::format("the environment of --env-command has no interpreter for toolchain '{}': {}", toolchain.name,
                      passed_over),
          {},
          fmt::format("install {} in it, or name an interpreter with --python", join(toolchain.python.modules, ", "))};
}

Result<ResolvedCompiler> compiler_of(ProcessRunner& runner, const ResolvedToolchain& toolchain,
                                     const std::optional<Result<Discovery>>& found, const ResolveContext& context,
                                     const Cache& cache) {
  if (!toolchain.spec.python.discover.empty()) {
    if (toolchain.carried)
      return std::unexpected(no_cpp(
          toolchain.spec, "an image that was carried here counts Python alone, and the headers are not installed",
          "install it, or measure Python's cases"));
    if (broken(toolchain.interpreter)) return std::unexpected(toolchain.interpreter->error());
    if (!(*found)->no_cpp.empty())
      return std::unexpected(no_cpp(toolchain.spec, (*found)->no_cpp, "Python's cases can be measured all the same"));
  }
  FileDigests digests(digests_folder(cache.root()));
  auto compiler = resolve_compiler(runner, toolchain.spec, context, digests);
  std::ignore = digests.save();
  return compiler;
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

/// The files that commands start or bring along, each once: they are what is being measured.
std::vector<std::string> programs_of(const Plan& plan, const RunEnvironment& environment) {
  std::vector<std::string> programs;
  for (const Case& one : plan.cases) {
    if (!one.command) continue;
    std::vector<std::string> files = one.command->files;
    files.insert(files.begin(), started_file(*one.command, environment.filtered));
    for (const std::string& path : files) {
      std::error_code code;
      const std::string file = std::filesystem::canonical(path, code).string();
      if (!code && std::filesystem::is_regular_file(file, code) && !contains(programs, file)) programs.push_back(file);
    }
  }
  return programs;
}

/// Whether a toolchain that names this interpreter may take one that lies there on another machine.
bool names(const std::string& candidate, const std::string& path) {
  return !candidate.contains('/') || candidate == path;
}

/// What images of another machine say of Python, where none is installed that would do. False: nothing of it.
bool take_carried(ResolvedToolchain& resolved, const Cache& cache) {
  const Toolchain spec = resolved.spec;
  for (CarriedInstallation& one : carried_installations(HostImages(host_images_folder(cache.root())))) {
    const bool is_named = std::ranges::any_of(spec.python.interpreters, [&](const std::string& candidate) {
      return names(candidate, one.found.interpreter.path);
    });
    if (!is_named || one.found.question != question_of(spec)) continue;
    if (!one.found.discovery.is_null()) {
      const auto found = read_answer(one.found.discovery, spec);
      if (!found) continue;
      apply(*found, resolved);
      // A host finds it open.
      if (!resolved.compiled.empty() && !make_folder(resolved.compiled)) continue;
    }
    resolved.interpreter = one.found.interpreter;
    resolved.installation = "carried";
    resolved.carried = std::make_shared<CarriedInstallation>(std::move(one));
    return true;
  }
  return false;
}

/// For images of its hosts.
std::string installation_text(const Toolchain& asked, const ResolvedToolchain& resolved,
                              const std::optional<Result<Discovery>>& found) {
  const Installation installation{.question = question_of(asked),
                                  .interpreter = **resolved.interpreter,
                                  .discovery = found ? (*found)->answer : json::Value(),
                                  .glibc = ::gnu_get_libc_version()};
  return json::to_text(to_json(installation));
}

}  // namespace

std::string started_file(const CommandLine& command, const EnvironmentVariables& environment) {
  const std::string& name = command.run.front();
  if (name.contains('/')) return (std::filesystem::path(command.folder) / name).string();
  return find_program(name, value_of(environment, "PATH")).value_or("");
}

ResolvedToolchain resolve_toolchain(ProcessRunner& runner, const Toolchain& spec, Needs needs,
                                    const RunEnvironment& environment, const Cache& cache) {
  ResolvedToolchain resolved{.spec = spec};
  const ResolveContext context{environment.full, environment.working_folder};
  const bool asks = !spec.python.discover.empty();
  std::optional<Result<Discovery>> found;
  if (needs.python || asks) resolved.interpreter = resolve_interpreter(runner, spec, context);
  if (broken(resolved.interpreter) && take_carried(resolved, cache)) {
    if (needs.cpp) resolved.compiler = compiler_of(runner, resolved, found, context, cache);
    return resolved;
  }
  // Also a warm-up's modules are in every case; one without any needs no asking.
  const bool imports = !spec.python.modules.empty() || spec.texts.warm_up.py.contains("import");
  if (resolved.interpreter && *resolved.interpreter && (asks || imports || !spec.device.identify.py.empty())) {
    found = discover(runner, resolved, with_variables(environment.filtered, spec.environment),
                     environment.working_folder, cache);
    if (*found) {
      apply(**found, resolved);
    } else {
      resolved.interpreter = std::unexpected(found->error());
    }
  }
  if (resolved.interpreter && *resolved.interpreter && !spec.own_host.python)
    resolved.installation = installation_text(spec, resolved, found);
  if (needs.cpp) resolved.compiler = compiler_of(runner, resolved, found, context, cache);
  return resolved;
}

Result<RunEnvironment> run_environment(ProcessRunner& runner, const Caller& caller, const Tools& tools,
                                       const Settings& settings) {
  RunEnvironment environment{caller.environment, {}, caller.working_folder};
  if (!tools.env_command.empty()) {
    auto captured = capture_environment(runner, tools.env_command, caller.environment, caller.working_folder);
    if (!captured) return std::unexpected(captured.error());
    environment.full = std::move(captured->variables);
    environment.working_folder = std::move(captured->working_folder);
  }
  environment.filtered = filter_environment(environment.full, settings.kept_environment);
  return environment;
}

Result<Toolchains> resolve_toolchains(ProcessRunner& runner, const Plan& plan, const Tools& tools,
                                      const RunEnvironment& environment, const Cache& cache) {
  Toolchains toolchains;
  for (Toolchain spec : plan.toolchains) {
    if (!tools.cxx.empty()) spec.cpp.compilers = {tools.cxx};
    if (!tools.python.empty()) spec.python.interpreters = {tools.python};
    if (spec.name == kCommandToolchain) spec.subject = programs_of(plan, environment);
    const auto any = [&](auto needs) {
      return std::ranges::any_of(plan.cases, [&](const Case& one) { return one.toolchain == spec.name && needs(one); });
    };
    ResolvedToolchain& resolved = toolchains[spec.name];
    resolved = resolve_toolchain(
        runner, spec, {.cpp = spec.own_host.executable.empty() && any(needs_cpp), .python = any(needs_python)},
        environment, cache);
    const bool requested = !tools.env_command.empty() && resolved.interpreter && *resolved.interpreter;
    if (requested && !(*resolved.interpreter)->passed_over.empty())
      return std::unexpected(not_in_the_environment(spec, (*resolved.interpreter)->passed_over));
  }
  if (auto usable = check_usable(toolchains, plan, tools); !usable) return std::unexpected(usable.error());
  return toolchains;
}

}  // namespace tally
