#include "commits/built_digest.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "build/file_digests.h"
#include "build/identity.h"
#include "build/resolve.h"
#include "commits/code_digest.h"
#include "engine/build_queue.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// Runs what the builder wants to have run, beside others.
Status build_all(Workspace& workspace, Builder& builder) {
  ProcessRunner& runner = workspace.runner();
  BuildQueue queue(runner, builder);
  const std::size_t most = workspace.leases().topology().allowed.size();
  while (true) {
    if (auto news = queue.collect(); !news) return std::unexpected(news.error());
    if (queue.done()) return {};
    while (queue.waiting() && queue.leased_cpus() < most) {
      auto lease = workspace.leases().share();
      if (!lease) return std::unexpected(lease.error());
      if (auto started = queue.start_next(*std::move(lease), {}); !started) return started;
    }
    for (const Event& event : runner.wait()) {
      if (std::holds_alternative<Interrupted>(event)) {
        queue.stop();
        return fail(ErrorKind::interrupted, "interrupted while snippets were built");
      }
      const auto* const finished = std::get_if<Finished>(&event);
      if (finished == nullptr || !queue.owns(finished->id)) continue;
      if (auto taken = queue.on_finished(*finished); !taken) return taken;
    }
  }
}

bool is_loadable(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".py") || name.ends_with(".so") || name.contains(".so.");
}

constexpr std::size_t kMostInstalled = 200'000;  // files; PyTorch and all that it needs have 30,000

/// When a file became what it is at its place: another time than that of its text, which an installer may keep.
std::optional<std::int64_t> placed_s(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_ctim.tv_sec;
}

bool is_below(const fs::path& path, const std::string& folder) {
  return (path.lexically_normal().string() + "/").starts_with(fs::path(folder).lexically_normal().string() + "/");
}

/// Paths below a folder, sorted: of what may be loaded, or of all files, any of which a command may read. Without those
/// below `except`.
std::vector<fs::path> files_in(const std::string& folder, bool all, const std::string& except = {}) {
  std::vector<fs::path> files;
  std::error_code code;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, code);
  for (const fs::recursive_directory_iterator end; !code && at != end; at.increment(code)) {
    std::error_code ignored;
    if (at->path().filename() == ".git" || (!except.empty() && is_below(at->path(), except))) {
      at.disable_recursion_pending();
    } else if ((all || is_loadable(at->path())) && at->is_regular_file(ignored)) {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// What is in the folders where an interpreter looks for modules, outside of the tree: a build may install into them. A
/// file that was there before this process is known by what `file_identity` says of it, and another by its content: so
/// an installation of the same files changes nothing. Nothing where there are too many.
std::optional<std::string> digest_of_installed(const ResolvedInterpreter& interpreter, const std::string& tree,
                                               FileDigests& digests) {
  static const std::int64_t began_s = ::time(nullptr);
  std::set<fs::path> files;
  for (const std::string& folder : interpreter.folders) {
    if (folder.empty() || is_below(folder, tree)) continue;
    for (fs::path& file : files_in(folder, false, tree)) files.insert(std::move(file));
    if (files.size() > kMostInstalled) return std::nullopt;
  }
  Digest all;
  for (const fs::path& file : files) {
    const bool is_new = placed_s(file).value_or(began_s) >= began_s - 1;
    all.add(file.string()).add(is_new ? digests.of(file) : file_identity(file));
  }
  return all.hex();
}

/// The shared objects that lie beside a program, or where it is installed with them.
std::string digest_beside(const std::string& program, FileDigests& digests) {
  Digest all;
  const fs::path folder = fs::path(program).parent_path();
  for (const char* place : {".", "../lib", "../lib64"}) {
    std::set<fs::path> files;
    std::error_code code;
    for (fs::directory_iterator at(folder / place, code); !code && at != fs::directory_iterator(); at.increment(code)) {
      std::error_code ignored;
      if (is_loadable(at->path()) && at->is_regular_file(ignored)) files.insert(at->path());
    }
    for (const fs::path& file : files) all.add(file.string()).add(digests.of(file));
  }
  return all.hex();
}

/// Nothing where not all is known that it loads.
std::optional<std::string> digest_of(const ResolvedToolchain& resolved, const std::string& tree, FileDigests& digests) {
  const Toolchain& toolchain = resolved.spec;
  Digest all;
  all.add(toolchain.name);
  if (resolved.compiler && *resolved.compiler) all.add((*resolved.compiler)->identity);
  if (resolved.interpreter && *resolved.interpreter) {
    const auto installed = digest_of_installed(**resolved.interpreter, tree, digests);
    if (!installed) return std::nullopt;
    all.add(*installed);
  }
  std::error_code code;
  for (const auto* const names : {&toolchain.cpp.link, &toolchain.cpp.preload, &toolchain.subject}) {
    for (const std::string& name : *names) all.add(name).add(fs::is_regular_file(name, code) ? digests.of(name) : "");
  }
  if (!toolchain.own_host.executable.empty()) {
    all.add(digests.of(toolchain.own_host.executable));
    if (!is_below(toolchain.own_host.executable, tree)) all.add(digest_beside(toolchain.own_host.executable, digests));
  }
  if (toolchain.own_host.python) {
    for (const auto& [name, file] : toolchain.own_host.python->own) all.add(name).add(digests.of(file));
  }
  return all.hex();
}

std::string digest_of_tree(const std::string& tree, bool of_all_files, FileDigests& digests) {
  Digest all;
  for (const fs::path& file : files_in(tree, of_all_files))
    all.add(file.lexically_relative(tree).string()).add(digests.of(file));
  return all.hex();
}

/// What it was compiled to; of what was not built, why.
std::string digest_of(const Builder& builder, std::size_t index) {
  Digest all;
  const std::optional<BuiltCase>& built = builder.built(index);
  if (!built) return all.add(builder.failure(index) ? builder.failure(index)->message : "").hex();
  all.add(built->folder);
  if (built->library.empty()) return all.add(built->symbol).hex();
  const auto library = read_file(built->library);
  return all.add(library ? code_digest(*library) : built->library).hex();
}

}  // namespace

Result<std::map<std::string, std::string>> built_digests(Workspace& workspace, const RunRequest& request,
                                                         const std::string& tree) {
  auto environment = run_environment(workspace.runner(), request.caller, request.tools, request.settings);
  if (!environment) return std::unexpected(environment.error());
  const EnvironmentVariables& full = environment->full;
  const auto root = default_cache_root(value_of(full, "XDG_CACHE_HOME"), value_of(full, "HOME"));
  if (!root) return std::unexpected(root.error());
  const Cache cache(*root);
  const auto toolchains = resolve_toolchains(workspace.runner(), *request.plan, request.tools, *environment, cache);
  if (!toolchains) return std::unexpected(toolchains.error());
  const std::string& libexec = workspace.surroundings().libexec;
  Builder builder(
      cache,
      {.snippet_include = libexec + "/include", .artifact_driver = libexec + "/make_artifacts.py", .environment = full},
      *toolchains, request.plan->cases);
  if (auto built = build_all(workspace, builder); !built) return std::unexpected(built.error());

  FileDigests digests(digests_folder(*root));
  std::map<std::string, std::string> of_toolchains;
  for (const auto& [name, resolved] : *toolchains) {
    const auto known = digest_of(resolved, tree, digests);
    of_toolchains[name] = known.value_or(request.source.commit);
  }
  const bool has_commands =
      std::ranges::any_of(request.plan->cases, [](const Case& one) { return one.command.has_value(); });
  const std::string of_tree = digest_of_tree(tree, has_commands, digests);
  std::map<std::string, std::string> of_cases;
  for (std::size_t i = 0; i < request.plan->cases.size(); ++i) {
    const Case& one = request.plan->cases[i];
    Digest all;
    all.add(one.digest).add(digest_of(builder, i)).add(of_toolchains.at(one.toolchain)).add(of_tree);
    // Its programs, and theirs, may lie anywhere.
    if (one.command) all.add(request.source.commit);
    of_cases[one.id] = all.hex();
  }
  std::ignore = digests.save();  // lost, they are computed again
  return of_cases;
}

}  // namespace tally
