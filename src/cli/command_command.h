/// `tally command -- PROGRAM ARG…`: whole commands, counted and timed with all of their processes, without a suite.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/profile_options.h"
#include "cli/run_options.h"
#include "cli/suite_source.h"

namespace tally::cli {

struct CommandOptions {
  RunOptions run;
  SuiteSource source;                 ///< Of it, the repository and the commit.
  std::vector<std::string> commands;  ///< Each as a shell reads it.
  std::vector<std::string> words;     ///< Behind "--": one command, as it stands.
  std::vector<std::string> names;     ///< In the order of the commands.
  std::vector<std::string> parameters;
  std::vector<std::string> environment;
  std::vector<std::string> files;
  std::string prepare;
  std::string setup;
  std::string cleanup;
  std::string input;
  std::string output;
  std::string folder;
  std::string expected;  ///< "0", "0,1", "any".
  std::string json;
  std::string exported;  ///< Empty: a table is printed. "hyperfine", "markdown", "csv".
  ProfileOptions profiles;
  int warm_up = 0;
  bool own_numbers = false;
  bool private_tmp = false;
  int runs = 0;         ///< 0: as many as the precision wants.
  std::string ignored;  ///< Exit codes that are no failure, beside 0.
  bool shell = false;
};

void add_command_options(OptionSet& command, CommandOptions& options);
int run_command(const Context& context, const CommandOptions& options, std::ostream& out, std::ostream& err);

/// The words of a command as a shell would split it. An error (input): a quote that does not end, or what only a shell
/// can do (a pipe, a redirection, a variable).
Result<std::vector<std::string>> shell_words(std::string_view text);

/// What a command is called: its words as a shell reads them, where a parameter's place, ${NAME}, is no reason for
/// quotes.
std::string command_name(const std::vector<std::string>& words);

/// "a,b" is two values; "1..4" is four, and "0..100..25" five.
Result<std::vector<std::string>> parameter_values(const std::string& text, const std::string& where);

}  // namespace tally::cli
