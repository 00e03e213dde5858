#include "commits/tree_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

namespace tally {
namespace {

namespace fs = std::filesystem;

/// Where `path` lies below `top`; nothing where it does not. Links are resolved.
std::optional<std::string> within(const std::string& top, const fs::path& path) {
  std::error_code code;
  const fs::path relative = fs::weakly_canonical(path, code).lexically_relative(top);
  if (code || relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative.string();
}

/// A text of a toolchain's that names a file of the repository itself, rather than of the tree; or null.
const std::string* absolute_in(const Toolchain& toolchain, const std::string& top, const std::string& tree) {
  for (const auto* const texts :
       {&toolchain.cpp.compilers, &toolchain.cpp.flags, &toolchain.cpp.include, &toolchain.cpp.link,
        &toolchain.cpp.preload, &toolchain.python.interpreters, &toolchain.own_host.args}) {
    for (const std::string& text : *texts) {
      if (text.contains(top + "/") && !text.contains(tree)) return &text;
    }
  }
  if (const auto& in_python = toolchain.own_host.python;
      in_python && in_python->folder.starts_with(top + "/") && !in_python->folder.starts_with(tree))
    return &in_python->folder;
  return toolchain.own_host.executable.starts_with(top + "/") && !toolchain.own_host.executable.starts_with(tree)
             ? &toolchain.own_host.executable
             : nullptr;
}

}  // namespace

Result<TreeSuite> TreeSuite::of_suite(const std::string& top, const std::string& working_folder,
                                      const std::string& suite) {
  const fs::path path = (fs::path(working_folder) / suite).lexically_normal();
  const auto inside = within(top, path);
  TreeSuite made(top, inside ? top : path.parent_path().string(), inside.value_or(path.filename().string()), false);
  const auto text = made.todays((fs::path(made.folder_) / made.name_).string());
  if (!text) return fail(ErrorKind::input, text.error().message, suite, "name the suite's file with --suite");
  return made;
}

Result<TreeSuite> TreeSuite::of_program(const std::string& top, const std::string& working_folder,
                                        const std::string& program) {
  const auto inside = within(top, fs::path(working_folder) / program);
  if (!inside) {
    return fail(ErrorKind::input, "lies outside of the repository: no commit would change it", program,
                "name what --build makes in there");
  }
  return TreeSuite(top, top, *inside, true);
}

Result<std::string> TreeSuite::todays(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  auto text = read_suite_file(path);
  if (text) texts_[path] = *text;
  return text;
}

std::string TreeSuite::text() const {
  const auto found = texts_.find((fs::path(folder_) / name_).string());
  return found == texts_.end() ? "" : found->second;
}

Result<Suite> TreeSuite::in(const std::string& tree, const ProgramLister& list) {
  const std::string path = (fs::path(tree) / name_).string();
  if (is_program_) {
    const Program program{.path = path};
    const auto listed = list(program);
    if (!listed) return std::unexpected(listed.error());
    Suite suite;
    if (Status added = suite.add(program, *listed); !added) return std::unexpected(added.error());
    return suite;
  }
  const IncludeResolver resolve = [&](const std::string& wanted) {
    return todays((fs::path(folder_) / fs::path(wanted).lexically_relative(tree)).lexically_normal().string());
  };
  const auto text = resolve(path);
  if (!text) return std::unexpected(text.error());
  auto suite = parse_suite(*text, path, resolve, list);
  if (!suite) return suite;
  for (const Toolchain& toolchain : suite->toolchains()) {
    const std::string* const named = absolute_in(toolchain, top_, tree);
    if (named == nullptr) continue;
    return fail(ErrorKind::input,
                fmt::format("toolchain '{}' names {}, which is today's at every commit", toolchain.name, *named), name_,
                "write it relative to the suite");
  }
  return suite;
}

}  // namespace tally
