/// Reads what a command line names: a suite's file or a benchmark program, compiled or in Python. Programs run here
/// once, to list their benchmarks, each in the environment that the options give its host.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/run_options.h"
#include "definition/frameworks.h"
#include "definition/read_suite.h"
#include "serve/request.h"

namespace tally::cli {

/// Suite or program: one of them is named.
struct SuiteSource {
  std::string suite;                                                     ///< Its file.
  std::string program;                                                   ///< The executable.
  std::array<std::vector<std::string>, kFrameworks.size()> python = {};  ///< What each framework is given.
  std::vector<std::string> program_args = {};                            ///< Its own.
  std::string repository;  ///< A folder of the one that is measured; empty: that of the suite or the program.
  std::string commit;      ///< Of it, instead of HEAD.
};

void add_suite_source(OptionSet& command, SuiteSource& source);
/// What follows "--" is the program's. Other commands have a use of their own for it, or none.
void add_suite_source_with_arguments(OptionSet& command, SuiteSource& source);
/// For what writes records.
void add_repository_options(OptionSet& command, SuiteSource& source);

/// For the programs of suites.
ProgramLister lister_of(const Context& context, const RunOptions& options);

/// The program in Python, whose framework is started in the user's folder; nothing: there is none. An error (input):
/// two are named.
Result<std::optional<Program>> python_program_of(const Context& context, const SuiteSource& source);

/// An error (input): none is named, or two.
Result<Suite> definitions_of(const Context& context, const SuiteSource& source, const RunOptions& options);

/// A program as a suite of its own. Its path may be relative to the user's folder.
Result<Suite> suite_of_program(const Context& context, Program program, const ProgramLister& list);

/// The same for a server, which lists programs itself.
serve::SuiteText suite_to_serve(const Context& context, const SuiteSource& source);

/// What is measured, as the user has named it.
std::string measured_of(const SuiteSource& source);

}  // namespace tally::cli
