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
  for (const Case& c : plan->cases) out << c.id << '\n';
  return kFine;
}

int run_plan(const Context& /*context*/, const ListOptions& options, std::ostream& out, std::ostream& err) {
  const auto plan = plan_of(options);
  if (!plan) return report_error(plan.error(), err);
  if (options.json) {
    out << plan_json(*plan);
    return kFine;
  }
  for (const Case& c : plan->cases) {
    fmt::print(out, "{}\n", c.id);
    print_code(out, "global setup", c.global_setup);
    print_code(out, "setup", c.setup);
    print_code(out, "statement", c.stmt);
  }
  fmt::print(out, "{} cases, {} C++ snippets, {} TorchScript models\n", plan->cases.size(), plan->builds.size(),
             plan->artifacts.size());
  return kFine;
}

}  // namespace tally::cli
