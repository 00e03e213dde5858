/// The process that a command runs in, as data, so that commands can be tested without one.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "process/process.h"

namespace tally::cli {

/// Exit codes of every command.
enum ExitCode : int { kFine = 0, kFailed = 1, kUsage = 2, kRegression = 3, kInterrupted = 130 };
/// For the help, and for the manual.
inline constexpr char kExitCodes[] =
    "0 fine, 1 something failed, 2 wrong usage or input, 3 a regression, 130 interrupted.";

struct OptionSet;

struct Context {
  EnvironmentVariables environment;  ///< tally's own.
  std::string working_folder;
  std::string libexec;               ///< The folder of hosts, supervisor and snippet headers.
  std::vector<std::string> command;  ///< argv, for the record.
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int width = 100;
  std::string now;                     ///< When it began: ISO 8601, UTC, "2026-01-31T12:00:00Z".
  const OptionSet* program = nullptr;  ///< All that its command line may say.
};

/// The facts of this process. An error when the libexec folder is not where an installed or a built tally has it.
Result<Context> read_context(int argc, char** argv);

/// Whether to colour, by --color (auto, always, never), NO_COLOR and the terminal.
bool use_color(const Context& context, const std::string& when, bool is_terminal);

/// Prints "tally: error: …" and returns the exit code of its kind.
int report_error(const Error& error, std::ostream& err);

}  // namespace tally::cli
