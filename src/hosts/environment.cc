#include "hosts/environment.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace tally {
namespace {

constexpr std::array<std::string_view, 11> kPassedOn{"PATH",        "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSAFEPATH",
                                                     "VIRTUAL_ENV", "CONDA_PREFIX",    "OMP_*",      "GOMP_*",
                                                     "KMP_*",       "MKL_*",           "OPENBLAS_*"};

struct Setting {
  std::string_view name;
  std::string_view for_counts;  ///< Empty: none.
  std::string_view for_times;
};

constexpr std::string_view kWaitPolicy = "OMP_WAIT_POLICY";

constexpr std::array<Setting, 5> kFixed{{{"LC_ALL", "C.UTF-8", "C.UTF-8"},
                                         {kWaitPolicy, "passive", "active"},
                                         {"OPENBLAS_NUM_THREADS", "1", "1"},
                                         {"PYTHONHASHSEED", "0", "0"},
                                         {"TZ", "UTC", "UTC"}}};

constexpr std::array<Setting, 2> kUnlessSet{{{"MKL_DYNAMIC", "FALSE", "FALSE"}, {"OMP_DYNAMIC", "false", "false"}}};

// How long a team that waits spins before it sleeps. Not where the user has set how it waits, and time is taken.
constexpr std::array<Setting, 2> kSpinning{{{"GOMP_SPINCOUNT", "", "300000"}, {"KMP_BLOCKTIME", "0", "200"}}};

constexpr int kDumpFd = 97;  // Not one of bash's own (from 63 down, and 255), nor one that a script is likely to use.

// The text is evaluated, not pasted, so that an open quote in it is an error of its own; shifted away first, because a
// script sourced without arguments sees ours. `case`, because `||` and `if` would switch off a `set -e` in the text.
constexpr std::string_view kCaptureScript = R"sh(tally_text=$1; shift
eval "$tally_text"
case $? in 0) ;; *) exit ;; esac
{ builtin printf '%s\0' "$(builtin pwd -P)"; exec /usr/bin/env -0; } >&97)sh";

std::string last_lines(const CapturedOutput& output) {
  constexpr std::size_t most = 2000;
  const std::string all = output.text();
  const std::string_view text = trim(all);
  return std::string(text.substr(text.size() - std::min(text.size(), most)));
}

Result<std::string> read_all(int fd) {
  struct stat about{};
  if (fstat(fd, &about) < 0) return std::unexpected(errno_error("read the captured environment", "--env-command"));
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  if (got != about.st_size) return std::unexpected(errno_error("read the captured environment", "--env-command"));
  return bytes;
}

}  // namespace

std::map<std::string, std::string> device_environment(const EnvironmentVariables& environment) {
  constexpr auto kOfDevices = std::to_array<std::string_view>(
      {"CUDA_*", "CUBLAS_*", "CUDNN_*", "NVIDIA_*", "NCCL_*", "HIP_*", "ROCR_*", "HSA_*", "MIOPEN_*", "ZE_*", "SYCL_*",
       "ONEAPI_*", "TORCH_*", "TORCHINDUCTOR_*", "PYTORCH_*", "KINETO_*", "TRITON_*"});
  std::map<std::string, std::string> kept;
  for (const auto& [name, value] : environment) {
    if (std::ranges::any_of(kOfDevices, [&](std::string_view pattern) { return glob_match(pattern, name); }))
      kept[name] = value;
  }
  return kept;
}

EnvironmentVariables parse_environment(std::span<const std::string> entries) {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos && equals > 0) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return {variables.begin(), variables.end()};
}

Result<CapturedEnvironment> capture_environment(ProcessRunner& runner, const std::string& text,
                                                EnvironmentVariables environment, std::string working_folder,
                                                Milliseconds deadline) {
  // A file in memory rather than a pipe: nobody has to read while bash writes.
  const UniqueFd dump(memfd_create("environment", MFD_CLOEXEC));
  UniqueFd theirs(dump ? dup(dump.get()) : -1);
  if (!theirs) return std::unexpected(errno_error("make a file in memory", "--env-command"));
  ProcessRequest request;
  request.argv = {"bash", "--noprofile", "--norc", "-c", std::string(kCaptureScript), "bash", text};
  request.environment = std::move(environment);
  request.working_folder = std::move(working_folder);
  request.deadline = deadline;
  request.pass_fds.push_back({kDumpFd, std::move(theirs)});
  const ProcessResult result = run(runner, std::move(request));
  if (!succeeded(result)) {
    const std::string said = last_lines(result.err);
    return fail(
        ErrorKind::input,
        fmt::format("the environment command {}{}{}", describe(result.outcome), said.empty() ? "" : ":\n", said), text);
  }
  const Result<std::string> bytes = read_all(dump.get());
  if (!bytes) return std::unexpected(bytes.error());
  const std::size_t end = bytes->find('\0');
  if (end == std::string::npos) {
    return fail(ErrorKind::input, "the environment command exits before its environment can be read", text,
                "leave out the exit or exec");
  }
  std::vector<std::string> entries;
  for (const std::string_view entry : split(std::string_view(*bytes).substr(end + 1), '\0'))
    entries.emplace_back(entry);
  return CapturedEnvironment{parse_environment(entries), bytes->substr(0, end)};
}

EnvironmentVariables filter_environment(const EnvironmentVariables& environment,
                                        std::span<const std::string> keep_names, MeasuredFor use) {
  std::map<std::string, std::string> kept;
  for (const auto& [name, value] : environment) {
    const auto matches = [&](std::string_view pattern) { return glob_match(pattern, name); };
    if (std::ranges::any_of(kPassedOn, matches) || std::ranges::any_of(keep_names, matches)) kept[name] = value;
  }
  const auto kept_by_user = [&](std::string_view name) {
    return kept.contains(std::string(name)) && std::ranges::find(keep_names, name) != keep_names.end();
  };
  const auto value = [&](const Setting& setting) {
    return use == MeasuredFor::counts ? setting.for_counts : setting.for_times;
  };
  const bool waits_as_user_says = kept_by_user(kWaitPolicy) && use == MeasuredFor::times;
  // How a library in a command waits, and with how many threads it works, is the command's affair.
  if (use == MeasuredFor::commands) {
    for (const Setting& setting : kFixed) {
      const bool of_all = setting.name == "LC_ALL" || setting.name == "PYTHONHASHSEED" || setting.name == "TZ";
      if (of_all && !kept_by_user(setting.name)) kept[std::string(setting.name)] = setting.for_counts;
    }
    return {kept.begin(), kept.end()};
  }
  for (const Setting& setting : kFixed)
    if (!kept_by_user(setting.name)) kept[std::string(setting.name)] = value(setting);
  for (const Setting& setting : kUnlessSet) kept.emplace(setting.name, value(setting));
  for (const Setting& setting : kSpinning)
    if (!waits_as_user_says && !value(setting).empty()) kept.emplace(setting.name, value(setting));
  return {kept.begin(), kept.end()};
}

}  // namespace tally
