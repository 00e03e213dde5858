/// How snippets are built and hosted: plain data, from the built-in table or from a suite's [toolchain.NAME].
///
/// Never runs anything: whether a compiler works or an interpreter has the modules is found out by build and execution.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "definition/language.h"

namespace tally {

/// The same thing said in both languages; either may be empty.
struct PerLanguage {
  std::string py;
  std::string cpp;
};

struct Toolchain {
  std::string name;
  std::vector<std::string> cxx;      ///< Compiler candidates; the first that works is used.
  std::vector<std::string> flags;    ///< Compiler flags.
  std::vector<std::string> include;  ///< Include folders, absolute.
  std::vector<std::string> link;     ///< Linker inputs: absolute paths or "-lname".
  std::vector<std::string> prelude;  ///< Headers included before every snippet, precompiled once: "torch/torch.h".
  std::vector<std::string> preload;  ///< Shared libraries that the C++ host opens before it forks: paths or sonames.
  std::vector<std::string> subject;  ///< Shared libraries that are what is being measured: paths or sonames.
  std::vector<std::string> python;   ///< Interpreter candidates; the first that imports `requires_modules` is used.
  std::vector<std::string> requires_modules;  ///< Python modules that the host imports before it forks.
  PerLanguage seed;                           ///< Seeds the generators of what is measured.
  PerLanguage set_threads;                    ///< Sets the thread count; ${threads} is replaced.
  PerLanguage before_region;                  ///< Runs before every region, not measured.
  PerLanguage sync;                           ///< Ends every region, measured: waits for a device.
  PerLanguage warm_up;  ///< Representative code the host runs before it forks, so that children inherit translations.
};

/// Code of a toolchain's own, under the name of its key.
struct ToolchainCode {
  std::string_view key;  ///< "seed", "set_threads".
  std::string text;
};

/// What every case runs before its setup, in this order: the seed, so that each run sees the same random numbers, and
/// the thread count. Empty texts are left out.
std::vector<ToolchainCode> before_setup(const Toolchain& toolchain, Language language, int threads);

/// The toolchains every suite knows: cpp, python, torch, in this order. Each serves both languages.
std::vector<Toolchain> builtin_toolchains();

}  // namespace tally
