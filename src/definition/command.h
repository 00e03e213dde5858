/// A whole command as a benchmark, [[command]]: a program that is started anew for each execution, and all processes
/// that come of it. Plain data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "definition/options.h"
#include "definition/snippet.h"

namespace tally {

/// What is started, and in which surroundings.
struct CommandLine {
  std::vector<std::string> run = {};  ///< The program and its arguments; no shell reads them.
  std::string prepare = {};           ///< What a shell does before each execution, unmeasured; empty: nothing.
  std::string input = {};             ///< The file of its standard input; empty: there is none.
  std::string output = "null";        ///< Where its standard output goes: "null", "errors" (where its errors go, which
                                      ///< are shown when it fails), or a file.
  std::vector<int> expected = {0};    ///< Exit codes that it may end with; none: however it ends.
  std::string folder = {};            ///< Where it runs, absolute.
  int warm_up = 0;                    ///< Executions before the first one that is timed.
  std::map<std::string, std::string> environment = {};  ///< Besides the variables that all cases get.
  friend bool operator==(const CommandLine&, const CommandLine&) = default;
};

/// As a shell reads it.
std::string text_of(const CommandLine& line);

/// The toolchain of all commands.
inline constexpr const char* kCommandToolchain = "command";

}  // namespace tally
