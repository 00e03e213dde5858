#include "cli/list_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "plan/plan.h"

namespace tally::cli {

namespace {

Result<Plan> plan_of(const Context& context, const ListOptions& options) {
  auto suite = definitions_of(context, options.source, options.run);
  if (!suite) return std::unexpected(suite.error());
  return plan_of(*suite, options.run);
}

void print_code(std::ostream& out, std::string_view title, const Code& code) {
  if (code.empty()) return;
  fmt::print(out, "  {}:\n", title);
  const std::string text = code.text();
  for (const std::string_view line : split(text, '\n')) fmt::print(out, "{}{}\n", line.empty() ? "" : "    ", line);
}

void print_program(std::ostream& out, const Toolchain& toolchain) {
  if (!is_own_host(toolchain)) return;
  std::string command = shell_quote(toolchain.own_host.executable);
  if (const auto& program = toolchain.own_host.python) {
    command = program->framework;
    for (const std::string& path : program->paths) command += " " + shell_quote(path);
  }
  for (const std::string& argument : toolchain.own_host.args) command += " " + shell_quote(argument);
  fmt::print(out, "  program:\n    {}\n", command);
}

}  // namespace

void add_list_options(OptionSet& command, ListOptions& options) {
  add_suite_source_with_arguments(command, options.source);
  command.add("--json", &options.json, "Print JSON");
  add_selection_options(command, options.run);
  add_environment_options(command, options.run);
}

int run_list(const Context& context, const ListOptions& options, std::ostream& out, std::ostream& err) {
  const auto plan = plan_of(context, options);
  if (!plan) return report_error(plan.error(), err);
  if (options.json) {
    out << plan_json(*plan);
    return kFine;
  }
  for (const Case& one : plan->cases) out << one.id << '\n';
  return kFine;
}

int run_plan(const Context& context, const ListOptions& options, std::ostream& out, std::ostream& err) {
  const auto plan = plan_of(context, options);
  if (!plan) return report_error(plan.error(), err);
  if (options.json) {
    out << plan_json(*plan);
    return kFine;
  }
  for (const Case& one : plan->cases) {
    fmt::print(out, "{}\n", one.id);
    print_code(out, "global setup", one.global_setup);
    print_code(out, "setup", one.setup);
    const Toolchain& toolchain = *std::ranges::find(plan->toolchains, one.toolchain, &Toolchain::name);
    print_program(out, toolchain);
    print_code(out, is_own_host(toolchain) ? "benchmark" : "statement", one.stmt);
  }
  const auto programs = std::ranges::count_if(plan->toolchains, is_own_host);
  fmt::print(out, "{} cases, {} C++ snippets, {} artifacts{}\n", plan->cases.size(), plan->builds.size(),
             plan->artifacts.size(),
             programs == 0 ? "" : fmt::format(", {} program{}", programs, programs == 1 ? "" : "s"));
  return kFine;
}

}  // namespace tally::cli
