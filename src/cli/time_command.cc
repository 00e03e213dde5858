#include "cli/time_command.h"

#include <ostream>

#include "cli/run_command.h"

namespace tally::cli {

void add_time_options(CLI::App& command, TimeOptions& options) {
  command.add_option("stmt", options.stmt, "The statement")->required()->type_name("STMT");
  command.add_option("-s,--setup", options.setup, "Text that runs once before it")->type_name("TEXT");
  command.add_option("--global-setup", options.global_setup, "C++ text at file scope")->type_name("TEXT");
  command.add_option("-l,--language", options.language, "cpp or python")
      ->capture_default_str()
      ->check(CLI::IsMember({"cpp", "python"}));
  command.add_option("-t,--toolchain", options.toolchain, "cpp, python or torch (by the language)")->type_name("NAME");
  command.add_option("--threads", options.threads, "Threads, where the toolchain can set them")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("--json", options.json, "Write the record here; - is standard output")->type_name("FILE");
  add_run_options(command, options.run);
}

int run_time(const Context& context, const TimeOptions& options, std::ostream& out, std::ostream& err) {
  Suite suite;
  Timer timer{.label = {"statement"},
              .language = options.language == "python" ? Language::python : Language::cpp,
              .stmt = {options.stmt, {}},
              .setup = {options.setup, {}},
              .global_setup = {options.global_setup, {}}};
  timer.options.threads = {options.threads};
  timer.options.toolchain = options.toolchain;
  if (auto added = suite.add(std::move(timer)); !added) return report_error(added.error(), err);
  auto plan = make_plan(suite, {});
  if (!plan) return report_error(plan.error(), err);
  auto measured = measure(context, options.run, {.plan = &*plan}, err);
  if (!measured) return report_error(measured.error(), err);
  if (auto printed = print_record(context, options.run, *measured, options.json, out); !printed)
    return report_error(printed.error(), err);
  if (measured->stopped) report_error(*measured->stopped, err);
  return exit_code_of(*measured);
}

}  // namespace tally::cli
