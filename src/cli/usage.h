/// Reads a command line by what the commands take. A mistake in one is reported like all other errors: the
/// word, and a hint.
///
/// The only place that knows the library which parses.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/option_set.h"

namespace tally::cli {

/// What a command line asks for: to run a command, or only to print something.
struct Asked {
  std::string command;  ///< Its name; its values are where its options say.
  std::string text;     ///< Help or the version, with no command to run.
};

/// `program` holds the commands, and one of them must be named; `version` answers --version.
Result<Asked> read_command_line(const OptionSet& program, std::vector<std::string> arguments,
                                const std::string& version = {});

}  // namespace tally::cli
