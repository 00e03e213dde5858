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

/// DEVICE MODULE...
constexpr std::string_view kImport = R"(
import sys
names = {}
for name in sys.argv[2:]:
    __import__(name)
    names[name.partition(".")[0]] = sys.modules[name.partition(".")[0]]
exec(sys.argv[1], names)
print()
print("tally: a device" if "device" in names else "tally: no device")
)";
constexpr std::string_view kDevice = "tally: a device";

/// The reason in an interpreter's last words: "ModuleNotFoundError: No module named 'sympy'".
std::string reason(const ProcessResult& result) {
  const std::string text = result.err.text();
  const std::string_view said = last_line(trim(text));
  return said.empty() ? describe(result.outcome) : std::string(trim(said));
}

/// What the interpreter said last: whether there may be a device.
Result<std::string> try_import(ProcessRunner& runner, const ResolvedToolchain& resolved,
                               const EnvironmentVariables& environment, const std::string& working_folder) {
  const std::vector<std::string>& modules = resolved.spec.requires_modules;
  ProcessRequest request;
  request.argv = {(*resolved.interpreter)->path, "-c", std::string(kImport), resolved.spec.device.py};
  request.argv.insert(request.argv.end(), modules.begin(), modules.end());
  request.environment = environment;
  request.working_folder = working_folder;
  request.deadline = Milliseconds(120'000);
  const ProcessResult result = run(runner, std::move(request));
  if (succeeded(result)) return std::string(last_line(trim(result.out.text())));
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
    if (!resolved.interpreter || !*resolved.interpreter ||
        (resolved.spec.requires_modules.empty() && resolved.spec.device.py.empty()))
      continue;
    Digest digest;
    digest.add((*resolved.interpreter)->path).add((*resolved.interpreter)->identity).add(working_folder);
    for (const std::string& module : resolved.spec.requires_modules) digest.add(module);
    for (const auto& [variable, value] : environment) digest.add(variable).add(value);
    if (!resolved.spec.device.py.empty()) digest.add(resolved.spec.device.py);
    const fs::path remembered = cache_root / "imports" / digest.hex();
    Result<std::string> said = read_file(remembered);
    if (!said) {
      said = try_import(runner, resolved, environment, working_folder);
      // Where it cannot be remembered, it is asked again the next time.
      if (said) std::ignore = write_file(remembered, *said);
    }
    if (!said) {
      resolved.interpreter = std::unexpected(said.error());
    } else if (!resolved.spec.device.py.empty() && *said != kDevice) {
      resolved.spec.device.py.clear();
      resolved.spec.sync.py.clear();
    }
  }
}

}  // namespace tally
