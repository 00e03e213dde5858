#include "commits/commit_workshop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/resolve.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRepositoryDigits = 16;
constexpr std::size_t kShownLines = 5;

/// Beside what is built for snippets: what hosts map from there is not taken for a subject.
Result<std::string> folder_for(const Repository& repository, const EnvironmentVariables& environment) {
  const auto common = repository.common_folder();
  if (!common) return std::unexpected(common.error());
  const auto cache = default_cache_root(value_of(environment, "XDG_CACHE_HOME"), value_of(environment, "HOME"));
  if (!cache) return std::unexpected(cache.error());
  const fs::path folder = cache->parent_path() / "commits" / digest(*common).substr(0, kRepositoryDigits);
  std::error_code code;
  fs::create_directories(folder, code);
  const fs::path real = code ? folder : fs::canonical(folder, code);
  if (code) return fail(ErrorKind::io, "cannot make room for builds: " + code.message(), folder.string());
  return real.string();
}

Result<UniqueFd> lock_in(const std::string& folder) {
  const std::string path = folder + "/lock";
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return std::unexpected(errno_error("open the lock", path));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
    const std::string own = fmt::format("{}\n", ::getpid());
    std::ignore = ::ftruncate(file.get(), 0);
    std::ignore = ::write(file.get(), own.data(), own.size());
    return file;
  }
  if (errno != EWOULDBLOCK) return std::unexpected(errno_error("lock", path));
  const std::string holder = read_file(path).value_or("");
  return fail(ErrorKind::input,
              fmt::format("commits of this repository are being built already, by process {}", trim(holder)), folder,
              "wait for its end");
}

std::vector<std::string> last_lines_of(const std::string& log) {
  const std::string text = read_file(log).value_or("");
  const auto lines = split(trim(text), '\n');
  const std::size_t begin = lines.size() > kShownLines ? lines.size() - kShownLines : 0;
  return {lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.end()};
}

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '+' || c == '~';
}

}  // namespace

std::string with_path_replaced(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t found = text.find(from); found != std::string::npos; found = text.find(from, found + 1)) {
    const std::size_t end = found + from.size();
    const bool begins = found == 0 || (!continues_name(text[found - 1]) && text[found - 1] != '/');
    if (found < at || !begins || (end < text.size() && continues_name(text[end]))) continue;
    result.append(text, at, found - at).append(to);
    at = end;
  }
  return result.append(text, at);
}

CommitWorkshop::CommitWorkshop(ProcessRunner& runner, const Repository& repository, WorkshopRequest request,
                               std::string folder, UniqueFd lock)
    : runner_(runner),
      repository_(repository),
      request_(std::move(request)),
      folder_(std::move(folder)),
      lock_(std::move(lock)),
      inside_(request_.caller) {
  std::erase_if(inside_.environment, [](const auto& variable) { return points_to_repository(variable.first); });
  for (auto& [name, value] : inside_.environment) value = with_path_replaced(value, repository_.top(), tree());
  std::error_code code;
  const fs::path standing = fs::weakly_canonical(request_.caller.working_folder, code);
  const fs::path below = standing.lexically_relative(repository_.top());
  const bool inside = !below.empty() && *below.begin() != ".." && below != ".";
  inside_.working_folder = inside ? (fs::path(tree()) / below).string() : tree();
}

Result<CommitWorkshop> CommitWorkshop::open(ProcessRunner& runner, const Repository& repository,
                                            WorkshopRequest request) {
  auto folder = folder_for(repository, request.caller.environment);
  if (!folder) return std::unexpected(folder.error());
  auto lock = lock_in(*folder);
  if (!lock) return std::unexpected(lock.error());
  return CommitWorkshop(runner, repository, std::move(request), *std::move(folder), *std::move(lock));
}

Status CommitWorkshop::check_out(const std::string& commit) {
  if (tree_) return tree_->check_out(commit);
  auto opened = WorkTree::open(runner_, request_.caller.environment, repository_, tree(), commit);
  if (!opened) return std::unexpected(opened.error());
  tree_.emplace(*std::move(opened));
  return {};
}

Result<std::optional<NotMeasured>> CommitWorkshop::build(const std::string& commit) {
  if (auto there = check_out(commit); !there) return std::unexpected(there.error());
  std::error_code code;
  const std::string log = fmt::format("{}/logs/{}.log", folder_, commit);
  fs::create_directories(fs::path(log).parent_path(), code);
  UniqueFd out(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  UniqueFd err(out ? ::dup(out.get()) : -1);
  if (!err) return std::unexpected(errno_error("write the build's log", log));
  if (!fs::is_directory(inside_.working_folder, code)) {
    return NotMeasured{fmt::format("has no folder {}, where it would be built",
                                   fs::path(inside_.working_folder).lexically_relative(tree()).string()),
                       {},
                       {}};
  }
  ProcessRequest request;
  request.argv = {"bash", "-c", request_.build};
  request.environment = inside_.environment;
  request.working_folder = inside_.working_folder;
  request.pass_fds.push_back({STDOUT_FILENO, std::move(out)});
  request.pass_fds.push_back({STDERR_FILENO, std::move(err)});
  const ProcessResult result = run(runner_, std::move(request));
  if (std::holds_alternative<Cancelled>(result.outcome) || runner_.interruptions() > 0)
    return fail(ErrorKind::interrupted, "the build was interrupted");
  if (const auto* const refused = std::get_if<SpawnFailed>(&result.outcome)) return std::unexpected(refused->error);
  if (succeeded(result)) return std::nullopt;
  return NotMeasured{"could not be built: the build command " + describe(result.outcome), log, last_lines_of(log)};
}

std::string short_commit(const std::string& id) { return id.substr(0, 10); }

std::string describe(const NotMeasured& why) {
  std::string text = why.why;
  if (!why.log.empty()) text += "; all that it printed is in " + why.log;
  for (const std::string& line : why.last_lines) text += "\n    " + line;
  return text;
}

}  // namespace tally
