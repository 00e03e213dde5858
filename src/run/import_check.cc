#include "run/import_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tuple>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kImport = "import sys\nfor name in sys.argv[1:]: __import__(name)";

/// The reason in an interpreter's last words: "ModuleNotFoundError: No module named 'sympy'".
std::string reason(const ProcessResult& result) {
  const std::string text = result.err.text();
  const std::string_view said = last_line(trim(text));
  return said.empty() ? describe(result.outcome) : std::string(trim(said));
}

Status try_import(ProcessRunner& runner, const ResolvedToolchain& resolved, const EnvironmentVariables& environment,
                  const std::string& working_folder) {
  const std::vector<std::string>& modules = resolved.spec.requires_modules;
  ProcessRequest request;
  request.argv = {(*resolved.interpreter)->path, "-c", std::string(kImport)};
  request.argv.insert(request.argv.end(), modules.begin(), modules.end());
  request.environment = environment;
  request.working_folder = working_folder;
  request.deadline = Milliseconds(120'000);
  const ProcessResult result = run(runner, std::move(request));
  if (succeeded(result)) return {};
  return fail(ErrorKind::input,
              fmt::format("{} cannot import {} in the environment that cases get: {}", (*resolved.interpreter)->path,
                          fmt::join(modules, ", "), reason(result)),
              fmt::format("toolchain '{}'", resolved.spec.name),
              "repair that environment, name another interpreter (--python, --env-command), or let a variable through "
              "that it needs (--keep-env)");
}

}  // namespace

void check_imports(ProcessRunner& runner, std::map<std::string, ResolvedToolchain>& toolchains,
                   const EnvironmentVariables& environment, const std::string& working_folder,
                   const fs::path& cache_root) {
  for (auto& [name, resolved] : toolchains) {
    if (!resolved.interpreter || !*resolved.interpreter || resolved.spec.requires_modules.empty()) continue;
    Digest digest;
    digest.add((*resolved.interpreter)->path).add((*resolved.interpreter)->identity).add(working_folder);
    for (const std::string& module : resolved.spec.requires_modules) digest.add(module);
    for (const auto& [variable, value] : environment) digest.add(variable).add(value);
    const fs::path remembered = cache_root / "imports" / digest.hex();
    std::error_code code;
    if (fs::exists(remembered, code)) continue;
    if (Status imported = try_import(runner, resolved, environment, working_folder); !imported) {
      resolved.interpreter = std::unexpected(imported.error());
      continue;
    }
    // Where it cannot be remembered, it is asked again the next time.
    std::ignore = write_file(remembered, "");
  }
}

}  // namespace tally
