#include "discovery/valgrind.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/text.h"
#include "build/resolve.h"
#include "process/install_command.h"

namespace tally {

namespace {

constexpr std::string_view kPlatform = "-amd64-linux";

std::string version_of(ProcessRunner& runner, const std::string& valgrind, const EnvironmentVariables& environment) {
  ProcessRequest request;
  request.argv = {valgrind, "--version"};
  request.environment = environment;
  request.output_limit = std::size_t{1} << 16U;
  request.deadline = Milliseconds(30'000);
  const ProcessResult result = run(runner, std::move(request));
  return succeeded(result) ? std::string(trim(result.out.text())) : std::string();
}

std::string counter_for(std::string_view version, const std::string& libexec) {
  constexpr std::string_view kName = "valgrind-";
  if (!version.starts_with(kName)) return {};
  std::error_code code;
  const auto folder = std::filesystem::absolute(libexec, code);
  std::string tool = fmt::format("{}/tally-counter-{}", folder.string(), version.substr(kName.size()));
  return std::filesystem::exists(tool + std::string(kPlatform), code) ? tool : std::string();
}

/// Nothing: it was built without.
std::optional<FoundValgrind> without_valgrind(const std::string& libexec) {
  std::error_code code;
  const auto folder = std::filesystem::absolute(libexec, code);
  const std::string launcher = (folder / "tally-launcher").string();
  if (!std::filesystem::exists(launcher, code)) return std::nullopt;
  constexpr std::string_view kName = "tally-counter-";
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kName) || !name.ends_with(kPlatform)) continue;
    name.resize(name.size() - kPlatform.size());
    return FoundValgrind{.path = {},
                         .version = {},
                         .counter = (folder / name).string(),
                         .counter_version = "valgrind-" + name.substr(kName.size()),
                         .counter_start = {launcher, "--first"}};
  }
  return std::nullopt;
}

}  // namespace

Result<FoundValgrind> find_valgrind(ProcessRunner& runner, const EnvironmentVariables& full,
                                    const EnvironmentVariables& filtered, const std::string& libexec) {
  auto path = find_program("valgrind", value_of(full, "PATH"));
  // By one name, whichever way of several leads there: hosts are known by it.
  std::error_code code;
  if (path) {
    if (const auto one = std::filesystem::canonical(*path, code); !code) path = one.string();
  }
  std::optional<FoundValgrind> ours = without_valgrind(libexec);
  if (!path) {
    if (ours) return *std::move(ours);
    return fail(ErrorKind::missing, "valgrind is not installed, and counting needs it", {},
                install_command("valgrind") + ", or take only times with --wall-only");
  }
  FoundValgrind found{.path = *path,
                      .version = version_of(runner, *path, filtered),
                      .counter = {},
                      .counter_version = {},
                      .counter_start = {*path}};
  found.counter = counter_for(found.version, libexec);
  if (!found.counter.empty()) found.counter_version = found.version;
  if (!found.counter.empty() || !ours) return found;
  ours->path = *path;
  ours->version = found.version;
  return *std::move(ours);
}

}  // namespace tally
