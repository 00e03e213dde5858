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
  std::vector<std::string> run = {};    ///< The program and its arguments; no shell reads them.
  std::string prepare = {};             ///< What a shell does before each execution, unmeasured; empty: nothing.
  std::string setup = {};               ///< What a shell does once, before the first execution; empty: nothing.
  std::string cleanup = {};             ///< What a shell does once, after the last one; empty: nothing.
  std::vector<std::string> files = {};  ///< Files and folders that each execution finds anew in a folder of its own,
                                        ///< where it then runs; absolute, with the names they have below `folder`.
  std::string input = {};               ///< The file of its standard input; empty: there is none.
  std::string output = "null";          ///< Where its standard output goes: "null", "pipe" (to us, who read it and keep
                                        ///< nothing), "errors" (where its errors go, which are shown when it fails),
                                        ///< "inherit" (where tally's own goes), or a file.
  std::vector<int> expected = {0};      ///< Exit codes that it may end with; none: however it ends.
  std::string folder = {};              ///< Where it runs, absolute.
  int warm_up = 0;                      ///< Executions before the first one that is timed.
  int runs = 0;                         ///< Executions that are timed; 0: as many as the precision wants.
  bool own_numbers = false;             ///< Its process numbers are its own while it is counted, or it is refused.
  bool private_tmp = false;             ///< Each execution finds an empty /tmp of its own, or it is refused.
  std::map<std::string, std::string> environment = {};  ///< Besides the variables that all cases get.
  friend bool operator==(const CommandLine&, const CommandLine&) = default;
};

/// As a shell reads it.
std::string text_of(const CommandLine& line);

/// Where its standard output goes, if not to a file.
bool is_no_file(const std::string& output);

/// The name that a file of it has in the folder of an execution: its path below the command's folder, or its last part;
/// empty for that folder itself.
std::string name_in_own_folder(const CommandLine& line, const std::string& file);

/// The toolchain of all commands.
inline constexpr const char* kCommandToolchain = "command";

}  // namespace tally
