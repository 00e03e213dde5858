/// The command `tally`: one table of subcommands, and the only place that exits.
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/ab_command.h"
#include "cli/bisect_command.h"
#include "cli/cache_command.h"
#include "cli/check_command.h"
#include "cli/command_command.h"
#include "cli/compare_command.h"
#include "cli/context.h"
#include "cli/doctor_command.h"
#include "cli/exec_command.h"
#include "cli/explain_command.h"
#include "cli/export_command.h"
#include "cli/history_command.h"
#include "cli/init_command.h"
#include "cli/list_command.h"
#include "cli/merge_command.h"
#include "cli/profile_command.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/same_command.h"
#include "cli/serve_command.h"
#include "cli/shell_commands.h"
#include "cli/standard_output.h"
#include "cli/submit_command.h"
#include "cli/table_command.h"
#include "cli/time_command.h"
#include "cli/toolchains_command.h"
#include "cli/trace_command.h"
#include "cli/usage.h"
#include "tally_version.h"

namespace tally::cli {
namespace {

struct Command {
  std::string name;
  std::function<int(const Context&)> run;
};

template <typename Options>
Command declare(OptionSet& program, const char* name, const char* description, void (*add)(OptionSet&, Options&),
                int (*run)(const Context&, const Options&, std::ostream&, std::ostream&)) {
  auto options = std::make_shared<Options>();
  add(program.add_command(name, description), *options);
  return {name, [options, run](const Context& context) { return run(context, *options, std::cout, std::cerr); }};
}

std::vector<Command> declare_commands(OptionSet& program) {
  return {
      declare(program, "init", "Write starter benchmarks into a project", add_init_options, run_init),
      declare(program, "run", "Measure a suite, or a C++ benchmark program", add_run_command_options, run_run),
      declare(program, "list", "List the ids of a suite's cases", add_list_options, run_list),
      declare(program, "plan", "Show every case of a suite, with its final code", add_list_options, run_plan),
      declare(program, "toolchains", "List toolchains, or print one as TOML", add_toolchains_options, run_toolchains),
      declare(program, "time", "Measure one statement", add_time_options, run_time),
      declare(program, "command", "Measure whole commands, with all of their processes", add_command_options,
              run_command),
      declare(program, "exec", "Run a Python program that measures within its own process", add_exec_options, run_exec),
      declare(program, "compare", "Compare two records, case by case", add_compare_options, run_compare),
      declare(program, "same", "Say whether two records read the same, to the instruction", add_same_options, run_same),
      declare(program, "explain", "Show why cases became slower or faster", add_explain_options, run_explain),
      declare(program, "check", "Fail on regressions beyond limits: a gate for CI", add_check_options, run_check),
      declare(program, "history", "Keep records by commit, and show which commit changed a count", add_history_options,
              run_history),
      declare(program, "bisect", "Find the commits that changed counts, by building and measuring some",
              add_bisect_options, run_bisect),
      declare(program, "merge", "Join the records of a suite that was measured in parts", add_merge_options, run_merge),
      declare(program, "submit", "Measure a suite in parts on a Slurm cluster", add_submit_options, run_submit),
      declare(program, "ab", "Measure two builds or environments in turn, and compare them", add_ab_options, run_ab),
      declare(program, "profile", "Show the functions, lines or allocations behind a case's count", add_profile_options,
              run_profile),
      declare(program, "table", "Compare the cases of one record; fit how cost grows", add_table_options, run_table),
      declare(program, "report", "Write a record as an HTML page", add_report_options, run_report),
      declare(program, "export", "Write a record in the format of another program", add_export_options, run_export),
      declare(program, "trace", "Report GPU utilization from profiler traces", add_trace_options, run_trace),
      declare(program, "serve", "Measure for other programs, on hosts that stay warm", add_serve_options, run_serve),
      declare(program, "cache", "Show or remove what is kept to be fast", add_cache_options, run_cache),
      declare(program, "doctor", "Check that everything that measuring needs is installed", add_doctor_options,
              run_doctor),
      declare(program, "completions", "Print a script that completes commands and options in your shell",
              add_completions_options, run_completions),
      declare(program, "man", "Print a command's page of the manual", add_man_options, run_man),
  };
}

/// The commands in the groups of the help, which stand in this order; a command that is in none comes first.
void group_commands(OptionSet& program) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> groups = {
      {"Measure", {"init", "run", "time", "command", "exec", "ab", "list", "plan"}},
      {"Compare", {"compare", "same", "explain", "check", "profile", "table", "report", "export"}},
      {"History", {"history", "bisect"}},
      {"Machines", {"merge", "submit", "serve"}},
      {"Tools", {"trace", "toolchains", "cache", "doctor", "completions", "man"}},
  };
  for (const auto& [heading, names] : groups) {
    for (const std::string& name : names) {
      const auto command = std::ranges::find(program.commands, name, &OptionSet::name);
      if (command == program.commands.end()) continue;
      command->group = heading;
      program.commands.splice(program.commands.end(), program.commands, command);
    }
  }
}

int main_of_tally(int argc, char** argv) {
  OptionSet program{
      .name = "tally",
      .description = "Counts the instructions of statements exactly and times them honestly, in C++ and Python."};
  program.footer =
      "`tally COMMAND --help` lists the options of a command.\n"
      "Exit codes: " +
      std::string(kExitCodes) +
      "\n"
      "Documentation: docs/README.md in the source.";
  const std::vector<Command> commands = declare_commands(program);
  group_commands(program);
  const auto asked = read_command_line(program, {argv + std::min(argc, 1), argv + argc},
                                       std::string("tally ") + TALLY_VERSION + " (" + TALLY_COMMIT + ")");
  if (!asked) return report_error(asked.error(), std::cerr);
  if (asked->command.empty()) {
    std::cout << asked->text;
    return kFine;
  }
  auto context = read_context(argc, argv);
  if (!context) return report_error(context.error(), std::cerr);
  context->program = &program;
  for (const Command& command : commands) {
    if (command.name == asked->command) return command.run(*context);
  }
  return kUsage;
}

}  // namespace
}  // namespace tally::cli

int main(int argc, char** argv) {
  tally::cli::prepare_standard_streams();
  tally::cli::StandardOutput output(STDOUT_FILENO);
  return output.finish(tally::cli::main_of_tally(argc, argv), std::cerr);
}
