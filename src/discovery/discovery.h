/// Asks the interpreter about a toolchain's modules: where they lie, and how C++ is built and linked against the same
/// libraries.
///
/// Asked once in the environment that cases get, and remembered for as long as none of the files changes that it read
/// to answer. A toolchain says in Python what to ask (its `discover`): facts about a library live there, not here.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/builder.h"
#include "json/value.h"

namespace tally {

/// What was found. The lists are absolute, and join what the toolchain itself says.
struct Discovery {
  std::map<std::string, std::string> modules;  ///< Required module → its folder, or its file where it has none.
  std::vector<std::string> flags;              ///< For the compiler, before the toolchain's own, which win.
  std::vector<std::string> include;
  std::vector<std::string> link;
  std::vector<std::string> preload;
  std::vector<std::string> libraries;              ///< Shared objects that were loaded.
  std::map<std::string, std::string> facts;        ///< "torch.version" → "2.13.0": of the subject.
  std::map<std::string, std::string> environment;  ///< Variables of hosts; the toolchain's own win.
  PerLanguage warm_up;                             ///< Runs before the toolchain's own, where these libraries need it.
  std::vector<std::string> loaded;  ///< The files that the interpreter loads with the modules and the warm-up.
  std::string compiled;             ///< As of ResolvedToolchain.
  std::vector<std::string> drivers;
  PerLanguage seed;                               ///< In place of the toolchain's, where it is not empty.
  PerLanguage device_observer;                    ///< Where the toolchain has none.
  bool device = false;                            ///< Its `device` in Python has found that there may be one.
  std::string no_cpp;                             ///< Why C++ cannot be built against it; empty: it can.
  std::map<std::string, PerLanguage> no_runtime;  ///< A runtime of the toolchain's → why it is not available with this.
  json::Value answer;                             ///< All of it, in the interpreter's own words.
};

/// Digest of what discover() asks for this toolchain, whichever interpreter answers.
std::string question_of(const Toolchain& toolchain);

/// What an answer of the same question says.
Result<Discovery> read_answer(const json::Value& answer, const Toolchain& toolchain);

/// Imports the modules, in `environment` and `working_folder`. An error: they cannot be imported, or `discover` fails.
/// `resolved` must have an interpreter.
Result<Discovery> discover(ProcessRunner& runner, const ResolvedToolchain& resolved,
                           const EnvironmentVariables& environment, const std::string& working_folder,
                           const Cache& cache);

/// Adds what C++ needs of it to a toolchain, and notes the rest. Where there can be no device, Python's `device` and
/// `sync` are taken out: a host of a build without accelerators is started as if there were no such thing.
void apply(const Discovery& found, ResolvedToolchain& resolved);

}  // namespace tally
