#include "commits/built_digest.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "build/file_digests.h"
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

/// Paths below the tree, sorted: of what may be loaded, or of all files, any of which a command may read.
std::vector<fs::path> files_in(const std::string& tree, bool all) {
  std::vector<fs::path> files;
  std::error_code code;
  fs::recursive_directory_iterator at(tree, fs::directory_options::skip_permission_denied, code);
  for (const fs::recursive_directory_iterator end; !code && at != end; at.increment(code)) {
    std::error_code ignored;
    if (at->path().filename() == ".git") {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(ignored) && (all || is_loadable(at->path()))) {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string digest_of(const Toolchain& toolchain, FileDigests& digests) {
  Digest all;
  all.add(toolchain.name);
  std::error_code code;
  for (const auto* const names : {&toolchain.cpp.link, &toolchain.cpp.preload, &toolchain.subject}) {
    for (const std::string& name : *names) all.add(name).add(fs::is_regular_file(name, code) ? digests.of(name) : "");
  }
  if (!toolchain.own_host.executable.empty()) all.add(digests.of(toolchain.own_host.executable));
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
  for (const auto& [name, resolved] : *toolchains) of_toolchains[name] = digest_of(resolved.spec, digests);
  const bool has_commands =
      std::ranges::any_of(request.plan->cases, [](const Case& one) { return one.command.has_value(); });
  const std::string of_tree = digest_of_tree(tree, has_commands, digests);
  std::map<std::string, std::string> of_cases;
  for (std::size_t i = 0; i < request.plan->cases.size(); ++i) {
    const Case& one = request.plan->cases[i];
    Digest all;
    all.add(one.digest).add(digest_of(builder, i)).add(of_toolchains.at(one.toolchain)).add(of_tree);
    of_cases[one.id] = all.hex();
  }
  std::ignore = digests.save();  // lost, they are computed again
  return of_cases;
}

}  // namespace tally
