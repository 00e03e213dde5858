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

using Run = std::function<int(const Context&)>;

struct Command {
  std::string name;
  Run run;
};

/// The options of a command that prints tables of records, and how to print them.
template <typename Options>
struct Shown : Options {
  std::string color = "auto";
  int width = 0;  ///< 0: the terminal's.
};

template <auto Add, typename Options>
void add_shown(OptionSet& sub, Shown<Options>& options) {
  Add(sub, options);
  sub.add("--color", &options.color, "When to print in colour").shows_default().one_of({"auto", "always", "never"});
  sub.add("--width", &options.width, "Width of the output in columns (default: the terminal's, or 100)")
      .range(20, 10000);
}

template <typename Options>
void set_rendering(const Context& context, Shown<Options>& options) {
  options.render = {.width = options.width > 0 ? options.width : context.width,
                    .color = use_color(context, options.color, context.out_is_terminal)};
}

template <typename Options, typename Add, typename Function>
Command declare(OptionSet& program, const char* name, const char* description, Add add, Function function) {
  auto options = std::make_shared<Options>();
  add(program.add_command(name, description), *options);
  return {name, [options, function](const Context& context) { return function(context, *options); }};
}

std::vector<Command> declare_commands(OptionSet& program) {
  std::vector<Command> commands;
  commands.push_back(declare<InitOptions>(program, "init", "Write starter benchmarks into a project", add_init_options,
                                          [](const Context& context, const InitOptions& options) {
                                            return run_init(context, options, std::cout, std::cerr);
                                          }));
  commands.push_back(declare<RunCommandOptions>(program, "run", "Measure a suite, or a C++ benchmark program",
                                                add_run_command_options,
                                                [](const Context& context, const RunCommandOptions& options) {
                                                  return run_run(context, options, std::cout, std::cerr);
                                                }));
  commands.push_back(declare<ListOptions>(program, "list", "List the ids of a suite's cases", add_list_options,
                                          [](const Context& context, const ListOptions& options) {
                                            return run_list(context, options, std::cout, std::cerr);
                                          }));
  commands.push_back(declare<ListOptions>(program, "plan", "Show every case of a suite, with its final code",
                                          add_list_options, [](const Context& context, const ListOptions& options) {
                                            return run_plan(context, options, std::cout, std::cerr);
                                          }));
  commands.push_back(declare<ToolchainsOptions>(program, "toolchains", "List toolchains, or print one as TOML",
                                                add_toolchains_options,
                                                [](const Context& context, const ToolchainsOptions& options) {
                                                  return run_toolchains(context, options, std::cout, std::cerr);
                                                }));
  commands.push_back(declare<TimeOptions>(program, "time", "Measure one statement", add_time_options,
                                          [](const Context& context, const TimeOptions& options) {
                                            return run_time(context, options, std::cout, std::cerr);
                                          }));
  commands.push_back(declare<CommandOptions>(program, "command", "Measure whole commands, with all of their processes",
                                             add_command_options,
                                             [](const Context& context, const CommandOptions& options) {
                                               return run_command(context, options, std::cout, std::cerr);
                                             }));
  commands.push_back(declare<ExecOptions>(
      program, "exec", "Run a Python program that measures within its own process", add_exec_options,
      [](const Context& context, const ExecOptions& options) { return run_exec(context, options, std::cerr); }));
  commands.push_back(declare<Shown<CompareCommandOptions>>(
      program, "compare", "Compare two records, case by case", add_shown<add_compare_options, CompareCommandOptions>,
      [](const Context& context, Shown<CompareCommandOptions> options) {
        set_rendering(context, options);
        return run_compare(options, std::cout, std::cerr);
      }));
  commands.push_back(declare<SameOptions>(
      program, "same", "Say whether two records read the same, to the instruction", add_same_options,
      [](const Context&, const SameOptions& options) { return run_same(options, std::cout, std::cerr); }));
  commands.push_back(declare<Shown<ExplainOptions>>(program, "explain", "Show why cases became slower or faster",
                                                    add_shown<add_explain_options, ExplainOptions>,
                                                    [](const Context& context, Shown<ExplainOptions> options) {
                                                      set_rendering(context, options);
                                                      return run_explain(context, options, std::cout, std::cerr);
                                                    }));
  commands.push_back(declare<Shown<CheckCommandOptions>>(
      program, "check", "Fail on regressions beyond limits: a gate for CI",
      add_shown<add_check_options, CheckCommandOptions>,
      [](const Context& context, Shown<CheckCommandOptions> options) {
        set_rendering(context, options);
        options.now = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
        const Tools tools = {.cxx = options.cxx, .python = options.python, .env_command = options.env_command};
        return run_check(options, remeasure_with(context, tools, options.cores, std::cerr),
                         rebase_with(context, tools, options.cores, std::cerr), std::cout, std::cerr);
      }));
  commands.push_back(declare<HistoryOptions>(program, "history",
                                             "Keep records by commit, and show which commit changed a count",
                                             add_history_options, [](const Context& context, HistoryOptions options) {
                                               options.now = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
                                               return run_history(context, options, std::cout, std::cerr);
                                             }));
  commands.push_back(
      declare<BisectOptions>(program, "bisect", "Find the commits that changed counts, by building and measuring some",
                             add_bisect_options, [](const Context& context, const BisectOptions& options) {
                               return run_bisect(context, options, std::cout, std::cerr);
                             }));
  commands.push_back(declare<MergeCommandOptions>(
      program, "merge", "Join the records of a suite that was measured in parts", add_merge_options,
      [](const Context&, const MergeCommandOptions& options) { return run_merge(options, std::cout, std::cerr); }));
  commands.push_back(declare<SubmitOptions>(program, "submit", "Measure a suite in parts on a Slurm cluster",
                                            add_submit_options,
                                            [](const Context& context, const SubmitOptions& options) {
                                              return run_submit(context, options, std::cout, std::cerr);
                                            }));
  commands.push_back(declare<AbOptions>(program, "ab", "Measure two builds or environments in turn, and compare them",
                                        add_ab_options, [](const Context& context, AbOptions options) {
                                          options.report.render = rendering(context, options.run);
                                          return run_ab(context, options, std::cout, std::cerr);
                                        }));
  commands.push_back(declare<Shown<ProfileCommandOptions>>(
      program, "profile", "Show the functions, lines or allocations behind a case's count",
      add_shown<add_profile_options, ProfileCommandOptions>,
      [](const Context& context, Shown<ProfileCommandOptions> options) {
        set_rendering(context, options);
        return run_profile(options, std::cout, std::cerr);
      }));
  commands.push_back(
      declare<Shown<TableCommandOptions>>(program, "table", "Compare the cases of one record; fit how cost grows",
                                          add_shown<add_table_options, TableCommandOptions>,
                                          [](const Context& context, Shown<TableCommandOptions> options) {
                                            set_rendering(context, options);
                                            return run_table(options, std::cout, std::cerr);
                                          }));
  commands.push_back(declare<ReportCommandOptions>(
      program, "report", "Write a record as an HTML page", add_report_options,
      [](const Context&, const ReportCommandOptions& options) { return run_report(options, std::cout, std::cerr); }));
  commands.push_back(declare<ExportOptions>(
      program, "export", "Write a record in the format of another program", add_export_options,
      [](const Context&, const ExportOptions& options) { return run_export(options, std::cout, std::cerr); }));
  commands.push_back(declare<TraceOptions>(program, "trace", "Report GPU utilization from profiler traces",
                                           add_trace_options, [](const Context& context, TraceOptions options) {
                                             if (options.record.requested)
                                               return run_trace_record(context, options.record, std::cout, std::cerr);
                                             options.width = context.width;
                                             options.color = use_color(context, "auto", context.out_is_terminal);
                                             return run_trace(options, std::cout, std::cerr);
                                           }));
  commands.push_back(declare<ServeOptions>(program, "serve", "Measure for other programs, on hosts that stay warm",
                                           add_serve_options, [](const Context& context, const ServeOptions& options) {
                                             return run_serve(context, options, std::cout, std::cerr);
                                           }));
  commands.push_back(declare<CacheOptions>(program, "cache", "Show or remove what is kept to be fast",
                                           add_cache_options, [](const Context& context, const CacheOptions& options) {
                                             return run_cache(context, options, std::cout, std::cerr);
                                           }));
  commands.push_back(
      declare<DoctorOptions>(program, "doctor", "Check that everything that measuring needs is installed",
                             add_doctor_options, [](const Context& context, const DoctorOptions& options) {
                               return run_doctor(context, options, std::cout, std::cerr);
                             }));
  commands.push_back(declare<CompletionsOptions>(
      program, "completions", "Print a script that completes commands and options in your shell",
      add_completions_options, [&program](const Context&, CompletionsOptions options) {
        options.program = &program;
        return run_completions(options, std::cout);
      }));
  commands.push_back(declare<ManOptions>(program, "man", "Print a command's page of the manual", add_man_options,
                                         [&program](const Context&, ManOptions options) {
                                           options.program = &program;
                                           return run_man(options, std::cout, std::cerr);
                                         }));
  return commands;
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
