#include "git/git.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "process/install_command.h"

namespace tally {
namespace {

/// What a hook, an alias or `git worktree` leaves in the environment: it says which repository is meant, and we do.
constexpr std::array<std::string_view, 8> kPointers = {
    "GIT_DIR",        "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"};

/// The first lines of a million commits, ids and titles, and room to spare.
constexpr std::size_t kMostOutput = std::size_t{512} << 20;

}  // namespace

bool points_to_repository(std::string_view variable) {
  return std::ranges::find(kPointers, variable) != kPointers.end();
}

Git::Git(ProcessRunner& runner, const EnvironmentVariables& environment, std::string folder)
    : runner_(runner), folder_(std::move(folder)) {
  for (const auto& [name, value] : environment) {
    if (!points_to_repository(name) && name != "LC_ALL" && name != "GIT_FLUSH") environment_.emplace_back(name, value);
  }
  environment_.emplace_back("LC_ALL", "C.UTF-8");
  environment_.emplace_back("GIT_TERMINAL_PROMPT", "0");
  environment_.emplace_back("GIT_OPTIONAL_LOCKS", "0");
  // Into a pipe it writes each commit of a log by itself otherwise.
  environment_.emplace_back("GIT_FLUSH", "0");
}

ProcessResult Git::run_git(std::vector<std::string> arguments, std::string input) const {
  ProcessRequest request;
  request.argv = {"git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"};
  // A git that is killed leaves its locks behind: that of a tally that was killed ends what it does, and we wait for
  // it.
  request.grace.orphaned = Milliseconds(10'000);
  for (const char* const wait : {"core.filesRefLockTimeout=10000", "core.packedRefsTimeout=10000"})
    request.argv.insert(request.argv.end(), {"-c", wait});
  request.argv.insert(request.argv.end(), {"-C", folder_});
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.environment = environment_;
  request.stdin_text = std::move(input);
  // Half of the limit is kept of the head.
  request.output_limit = 2 * kMostOutput;
  return run(runner_, std::move(request));
}

Error Git::why_failed(const std::string& command, const ProcessResult& result) const {
  if (std::holds_alternative<SpawnFailed>(result.outcome))
    return {ErrorKind::missing, "git is not there", {}, install_command("git")};
  if (std::holds_alternative<Cancelled>(result.outcome)) return {ErrorKind::interrupted, "git was interrupted", {}, {}};
  std::string said(first_line(trim(result.err.text())));
  if (said.starts_with("fatal: ")) said.erase(0, 7);
  return {ErrorKind::failed,
          fmt::format("git {}: {}", command, said.empty() ? describe(result.outcome) : said),
          folder_,
          {}};
}

namespace {

/// "checkout" of {"-c", "name=value", "checkout", …}.
std::string command_of(const std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at + 2 < arguments.size() && arguments[at] == "-c") at += 2;
  return arguments[at];
}

}  // namespace

Result<std::string> Git::operator()(std::vector<std::string> arguments, std::string input) const {
  const std::string command = command_of(arguments);
  const ProcessResult result = run_git(std::move(arguments), std::move(input));
  if (!succeeded(result)) return std::unexpected(why_failed(command, result));
  return result.out.text();
}

Result<std::optional<std::string>> Git::ask(std::vector<std::string> arguments) const {
  const std::string command = command_of(arguments);
  const ProcessResult result = run_git(std::move(arguments), {});
  const auto* const exited = std::get_if<Exited>(&result.outcome);
  if (exited != nullptr && exited->code == 1) return std::nullopt;
  if (!succeeded(result)) return std::unexpected(why_failed(command, result));
  return result.out.text();
}

}  // namespace tally
