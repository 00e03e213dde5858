#include "cli/init_command.h"

#include <fmt/ostream.h>

#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "base/text.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

Starter starter_of(const InitOptions& options) {
  if (options.starter) return *options.starter;
  const auto has = [&options](const char* name) {
    std::error_code code;
    return fs::exists(fs::path(options.folder) / name, code);
  };
  if (has("CMakeLists.txt")) return Starter::cmake;
  if (has("pyproject.toml") || has("setup.py") || has("setup.cfg")) return Starter::python;
  return Starter::suite;
}

/// Either all of the files are written, or none.
Status write_files(const fs::path& folder, const std::vector<StarterFile>& files) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return fail(ErrorKind::input, "there is no such folder", folder.string(), "make it, or name the project's folder");
  for (const StarterFile& file : files) {
    const fs::path path = folder / file.name;
    if (fs::symlink_status(path, code).type() != fs::file_type::not_found)
      return fail(ErrorKind::input, "is there already, and stays as it is", path.string(),
                  "move it away, or name another project's folder");
  }
  for (const StarterFile& file : files) {
    if (const Status written = write_file(folder / file.name, file.text); !written) return written;
  }
  return {};
}

/// Where tally is installed with its CMake package: "", or " -DCMAKE_PREFIX_PATH=PREFIX".
std::string prefix_path(const Context& context) {
  const fs::path prefix = fs::path(context.libexec).parent_path().parent_path();
  std::error_code code;
  if (!fs::exists(prefix / "lib/cmake/tallymark/tallymarkConfig.cmake", code)) return "";
  return " -DCMAKE_PREFIX_PATH=" + shell_quote(prefix.string());
}

std::string next_command(const Context& context, Starter kind, const fs::path& folder) {
  const auto at = [&folder](const char* name) { return shell_quote((folder / name).lexically_normal().string()); };
  if (kind == Starter::suite) return "tally run " + at("benchmarks/suite.toml");
  if (kind == Starter::command) return "tally run " + at("benchmarks/commands.toml");
  if (kind == Starter::python) return "python3 " + at("benchmarks/benchmarks.py");
  const std::string build = at("build/benchmarks");
  return fmt::format("cmake -S {} -B {}{} && cmake --build {} && tally run --program {}", at("benchmarks"), build,
                     prefix_path(context), build, at("build/benchmarks/benchmarks"));
}

}  // namespace

void add_init_options(OptionSet& command, InitOptions& options) {
  command.add("folder", &options.folder, "Folder of the project").value_name("FOLDER").shows_default();
  const auto choose = [&](const char* name, Starter starter, const char* help) -> Option& {
    return command.add(name, [&options, starter] { options.starter = starter; }, help);
  };
  choose("--suite", Starter::suite, "Write a suite of statements: benchmarks/suite.toml");
  choose("--cmake", Starter::cmake, "Write a C++ benchmark program with its CMakeLists.txt").excludes("--suite");
  choose("--python", Starter::python, "Write benchmarks in Python: benchmarks/benchmarks.py")
      .excludes("--suite")
      .excludes("--cmake");
  choose("--command", Starter::command, "Write a suite of whole commands: benchmarks/commands.toml")
      .excludes("--suite")
      .excludes("--cmake")
      .excludes("--python");
  command.footer =
      "The default is --cmake if there is a CMakeLists.txt, --python if there is a pyproject.toml, setup.py or "
      "setup.cfg,\n"
      "and --suite otherwise. Existing files are never overwritten.";
}

int run_init(const Context& context, const InitOptions& options, std::ostream& out, std::ostream& err) {
  const Starter kind = starter_of(options);
  const std::vector<StarterFile> files = starter_files(kind);
  if (const Status written = write_files(options.folder, files); !written) return report_error(written.error(), err);
  for (const StarterFile& file : files)
    fmt::print(out, "wrote {}\n", (fs::path(options.folder) / file.name).lexically_normal().string());
  fmt::print(out, "next: {}\n", next_command(context, kind, options.folder));
  return kFine;
}

}  // namespace tally::cli
