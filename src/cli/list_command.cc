#include "cli/list_command.h"

#include <fmt/ostream.h>

#include <ostream>

#include "base/text.h"
#include "definition/read_suite.h"
#include "plan/plan.h"

namespace tally::cli {

namespace {

Result<Plan> plan_of(const ListOptions& options) {
  auto suite = read_suite(options.suite);
  if (!suite) return std::unexpected(suite.error());
  return plan_of(*suite, options.run);
}

void print_code(std::ostream& out, std::string_view title, const Code& code) {
  if (code.empty()) return;
  fmt::print(out, "  {}:\n", title);
  const std::string text = code.text();
  for (const std::string_view line : split(text, '\n')) fmt::print(out, "{}{}\n", line.empty() ? "" : "    ", line);
}

}  // namespace

void add_list_options(OptionSet& command, ListOptions& options) {
  command.add("suite", &options.suite, "The suite's TOML file").required().value_name("SUITE");
  command.add("--json", &options.json, "Machine-readable output");
  add_selection_options(command, options.run);
}

int run_list(const Context& /*context*/, const ListOptions& options, std::ostream& out, std::ostream& err) {
  const auto plan = plan_of(options);
  if (!plan) return report_error(plan.error(), err);
  if (options.json) {
    out << plan_json(*plan);
    return kFine;
  }
  for (const Case& one : plan->cases) out << one.id << '\n';
  return kFine;
}

int run_plan(const Context& /*context*/, const ListOptions& options, std::ostream& out, std::ostream& err) {
  const auto plan = plan_of(options);
  if (!plan) return report_error(plan.error(), err);
  if (options.json) {
    out << plan_json(*plan);
    return kFine;
  }
  for (const Case& one : plan->cases) {
    fmt::print(out, "{}\n", one.id);
    print_code(out, "global setup", one.global_setup);
    print_code(out, "setup", one.setup);
    print_code(out, "statement", one.stmt);
  }
  fmt::print(out, "{} cases, {} C++ snippets, {} artifacts\n", plan->cases.size(), plan->builds.size(),
             plan->artifacts.size());
  return kFine;
}

}  // namespace tally::cli
