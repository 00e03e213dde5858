#include "cli/ab_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/command_command.h"
#include "cli/suite_source.h"

namespace tally::cli {

namespace {

Status check_usage(const AbOptions& options) {
  if (options.a.says_nothing() && options.b.says_nothing()) {
    return fail(ErrorKind::input, "nothing differs between the sides", "tally ab",
                "say what A and B are: --a TEXT --b TEXT, or --a-program, --a-command, --a-toolchain, --a-cxx or "
                "--a-python and the same for b");
  }
  if (options.a.command.empty() != options.b.command.empty())
    return fail(ErrorKind::input, "a command is compared with another one", "tally ab",
                "say both: --a-command 'old/app x' --b-command 'new/app x'");
  if (!options.a.command.empty()) return {};
  if (options.suite.empty() && (options.a.program.empty() || options.b.program.empty())) {
    return fail(ErrorKind::input, "nothing to measure", "tally ab",
                "name a suite's file, or a program for each side: --a-program OLD --b-program NEW");
  }
  return {};
}

/// Ids are those of B: it is the command that stays.
Result<Suite> suite_of_command(const Context& context, const AbOptions& options, const AbSide& said) {
  auto words = shell_words(said.command);
  if (!words) return std::unexpected(words.error());
  Suite suite;
  Command command{.label = {replace_all(options.b.command, "${", "$${")},
                  .line = {.run = *std::move(words), .folder = context.working_folder}};
  if (Status added = suite.add(std::move(command)); !added) return std::unexpected(added.error());
  return suite;
}

/// The suite with the side's program in place of the only one that it names.
Result<Suite> suite_of_side(const Context& context, const AbOptions& options, const AbSide& said) {
  if (!said.command.empty()) return suite_of_command(context, options, said);
  RunOptions run = options.run;
  run.tools = tools_of(said, run.tools);
  const ProgramLister list = lister_of(context, run);
  // Ids are those of B: it is the program that stays.
  if (options.suite.empty())
    return suite_of_program(context, {.path = said.program, .name = name_of({.path = options.b.program})}, list);
  if (said.program.empty()) return read_suite(options.suite, list);
  std::size_t programs = 0;
  auto suite = read_suite(options.suite, [&](Program program) {
    ++programs;
    program.path = (std::filesystem::path(context.working_folder) / said.program).lexically_normal().string();
    return list(program);
  });
  if (!suite || programs == 1) return suite;
  return fail(ErrorKind::input,
              fmt::format("'{}' stands for the one program of the suite, which names {}", said.program,
                          programs == 0 ? "none" : std::to_string(programs)),
              options.suite,
              "name one in the suite, or compare two programs without a suite: --a-program OLD --b-program NEW");
}

/// A case keeps its id and digest, so the sides match, and its own toolchain's name, so that both records speak of the
/// same one. Programs are built already, and stay.
Status replace_toolchain(Plan& plan, const Suite& suite, const std::string& name) {
  if (name.empty()) return {};
  auto chosen = suite.toolchain(name);
  if (!chosen) return std::unexpected(chosen.error());
  for (Toolchain& toolchain : plan.toolchains) {
    if (is_own_host(toolchain)) continue;
    const std::string own = toolchain.name;
    toolchain = *chosen;
    toolchain.name = own;
  }
  return {};
}

bool is_program_of(const Toolchain& toolchain) { return !toolchain.own_host.executable.empty(); }

/// What makes no difference to programs, where there is nothing else.
Status check_difference(const AbOptions& options, const std::array<Plan, 2>& plans) {
  for (const AbSide* said : {&options.a, &options.b})
    if (!said->env_command.empty() || !said->program.empty() || !said->command.empty()) return {};
  for (const Plan& plan : plans)
    if (!std::ranges::all_of(plan.toolchains, is_program_of)) return {};
  return fail(ErrorKind::input, "nothing differs between the sides: all cases are of programs, which are built already",
              options.suite, "say --a-program OLD --b-program NEW, or --a TEXT --b TEXT");
}

}  // namespace

Tools tools_of(const AbSide& said, Tools tools) {
  if (!said.env_command.empty()) tools.env_command = said.env_command;
  if (!said.cxx.empty()) tools.cxx = said.cxx;
  if (!said.python.empty()) tools.python = said.python;
  return tools;
}

bool has_programs(const std::array<Plan, 2>& plans) {
  return std::ranges::any_of(plans,
                             [](const Plan& plan) { return std::ranges::any_of(plan.toolchains, is_program_of); });
}

Result<std::array<Plan, 2>> plans_of_sides(const Context& context, const AbOptions& options) {
  if (auto usage = check_usage(options); !usage) return std::unexpected(usage.error());
  auto selection = selection_of(options.run);
  if (!selection) return std::unexpected(selection.error());
  auto a = suite_of_side(context, options, options.a);
  if (!a) return std::unexpected(a.error());
  auto b = suite_of_side(context, options, options.b);
  if (!b) return std::unexpected(b.error());
  auto plans = make_plans(*a, *b, {.selection = *std::move(selection), .repeat = options.run.settings.repeat});
  if (!plans) return plans;
  if (auto done = replace_toolchain((*plans)[0], *a, options.a.toolchain); !done) return std::unexpected(done.error());
  if (auto done = replace_toolchain((*plans)[1], *b, options.b.toolchain); !done) return std::unexpected(done.error());
  if (!options.b.command.empty()) {
    // What differs is asked about, and no other definition.
    for (std::size_t i = 0; i < (*plans)[0].cases.size(); ++i) {
      (*plans)[0].cases[i].stmt = (*plans)[1].cases[i].stmt;
      (*plans)[0].cases[i].digest = (*plans)[1].cases[i].digest;
    }
  }
  if (auto differs = check_difference(options, *plans); !differs) return std::unexpected(differs.error());
  return plans;
}

}  // namespace tally::cli
