/// Resolves a toolchain on this machine: its compiler, its interpreter, its files.
///
/// Runs compilers and interpreters to ask their version; never builds or measures. An environment that lacks something
/// gives an Error of kind `missing` that says what was tried and how to get it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/file_digests.h"
#include "definition/toolchain.h"
#include "process/process.h"

namespace tally {

struct ResolvedCompiler {
  std::string path;                 ///< Absolute.
  std::string version;              ///< The first line that --version prints.
  bool is_clang = false;            ///< Batches and -include-pch are for clang only.
  std::string linker;               ///< "-fuse-ld=lld" where that works (ten times faster than GNU ld), else empty.
  std::string linker_version = {};  ///< The first line that it prints: where code and tables lie is up to the linker.
  std::vector<std::string> link;    ///< What snippets are linked with: see linked_with().
  /// Changes when anything does that an object depends on, but for headers: by content, so another installation of the
  /// same compiler at the same place is the same.
  std::string identity;
};

struct ResolvedInterpreter {
  std::string path;      ///< The executable itself, never a shim: a shell script under Valgrind would be measured.
  std::string version;   ///< "3.11.2"
  std::string identity;  ///< Of the executable and of the required modules' files.
  std::string start =
      {};  ///< Changes with `identity`, with where modules are found, and with the files of the start (site).
  std::string start_text = {};            ///< What of `start` is in no file: versions, and folders of modules.
  std::vector<std::string> started = {};  ///< The files of the start.
  std::vector<std::string> folders = {};  ///< Where modules are looked for.
  std::vector<std::string> modules;       ///< "torch 1.13.1 /usr/lib/python3/dist-packages/torch/__init__.py"
  std::string passed_over = {};  ///< The activated environment's interpreter and why it is not this one; or empty.
};

struct ResolveContext {
  EnvironmentVariables environment;  ///< Complete, for whatever is run.
  std::string working_folder;
};

/// `digests` remembers those of the compiler's files: LLVM's library alone has 120 MB.
Result<ResolvedCompiler> resolve_compiler(ProcessRunner& runner, const Toolchain& toolchain,
                                          const ResolveContext& context, FileDigests& digests);
Result<ResolvedInterpreter> resolve_interpreter(ProcessRunner& runner, const Toolchain& toolchain,
                                                const ResolveContext& context);

/// The linker inputs without the libraries that the host has opened for all before it loads a snippet. A
/// snippet that named them again would make the loader walk all they depend on: libtorch needs 170 libraries, and a
/// case spent 2.4 ms in that, 80 ms when counted.
std::vector<std::string> linked_with(const CppSide& cpp);

/// The value of a variable, or "".
std::string_view value_of(const EnvironmentVariables& environment, std::string_view name);

/// `environment`, and what of a toolchain's own variables it has none of. Sorted by name.
EnvironmentVariables with_variables(EnvironmentVariables environment, const std::map<std::string, std::string>& own);

/// In the place of what it was, if it was there.
void set_variable(EnvironmentVariables& environment, const std::string& name, std::string value);

/// `environment` with `entry` before what else the variable lists, with colons between.
EnvironmentVariables with_first(EnvironmentVariables environment, const std::string& name, const std::string& entry);

}  // namespace tally
