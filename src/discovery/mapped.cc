#include "discovery/mapped.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

bool lies_in(std::string_view path, std::string_view folder) {
  return !folder.empty() && path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

/// "torch/lib/libtorch.so", wherever the module's folder is; nothing for a file of no required module.
std::optional<std::string> name_in_module(const std::string& path, const ResolvedToolchain& toolchain) {
  for (const auto& [module, place] : toolchain.modules) {
    if (path == place) return fs::path(path).filename().string();
    if (lies_in(path, place)) return fs::path(path).lexically_relative(fs::path(place).parent_path()).string();
  }
  return {};
}

/// By its path, its name, or the name that it has a version after: "libfoo.so" is "libfoo.so.1.2".
bool means(const std::string& subject, const std::string& path) {
  if (subject == path) return true;
  const std::string wanted = fs::path(subject).filename().string();
  const std::string name = fs::path(path).filename().string();
  return name == wanted || name.starts_with(wanted + ".") || glob_match(wanted, name);
}

}  // namespace

bool is_subject(const Toolchain& toolchain, const std::string& path) {
  return std::ranges::any_of(toolchain.subject, [&](const std::string& one) { return means(one, path); });
}

void add_mapped(Environment& environment, const std::vector<std::string>& mapped, const ResolvedToolchain& toolchain,
                const std::vector<std::string>& own_folders, FileDigests& digests) {
  const std::vector<std::string>& subjects = toolchain.spec.subject;
  for (const std::string& path : mapped) {
    const bool own = std::ranges::any_of(own_folders, [&](const std::string& folder) { return lies_in(path, folder); });
    if (own || path.contains("/valgrind/")) continue;
    const std::string name = fs::path(path).filename().string();
    const auto in_module = name_in_module(path, toolchain);
    const auto named = std::ranges::find_if(subjects, [&](const std::string& one) { return means(one, path); });
    const std::string digest = digests.of(path);
    if (named != subjects.end()) environment.subject.erase(fs::path(*named).filename().string());
    if (!subjects.empty() && (in_module || named != subjects.end())) {
      environment.subject[in_module.value_or(name)] = digest;
    } else {
      environment.facts[std::string(kMappedFact) + in_module.value_or(name)] = digest;
    }
  }
}

}  // namespace tally
