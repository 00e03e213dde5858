#include "cli/time_command.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "base/text.h"
#include "cli/measuring.h"
#include "cli/run_command.h"
#include "discovery/host_imports.h"
#include "records/record_files.h"

namespace tally::cli {

void add_time_options(OptionSet& command, TimeOptions& options) {
  command.add("stmt", &options.stmt, "Statement to measure").required().value_name("STMT");
  command.add("-s,--setup", &options.setup, "Code that runs once before it").value_name("TEXT");
  command.add("--global-setup", &options.global_setup, "C++ code at file scope").value_name("TEXT");
  command.add("-l,--language", &options.language, "cpp or python").shows_default().one_of({"cpp", "python"});
  command.add("-t,--toolchain", &options.toolchain, "Toolchain: cpp, python or torch (default: by the language)")
      .value_name("NAME");
  command.add("--threads", &options.threads, "Number of threads, if the toolchain can set it")
      .shows_default()
      .range(1, 1024);
  command.add("--device", &options.device, "Device to run on: cpu, or a kind of device (default: where its text says)")
      .value_name("KIND");
  command.add("--flush", &options.flush, "On a device: the cache that is written over before each timed execution")
      .one_of({"none", "l2"});
  command.add("--json", &options.json, "Write the record to this file (-: standard output)").value_name("FILE");
  add_run_options(command, options.run);
  add_column_options(command, options.run);
  add_table_files(command, options.run);
  add_server_option(command, options.run);
}

namespace {

/// The toolchain on top of Python's whose hosts import what the setup begins with; nothing where that is not large, or
/// one is named.
std::optional<Toolchain> own_toolchain(const TimeOptions& options, const Suite& suite) {
  if (options.language != "python" || !options.toolchain.empty()) return std::nullopt;
  const std::vector<std::string> modules = host_imports(options.setup);
  auto toolchain = suite.toolchain("python");
  if (modules.empty() || !toolchain) return std::nullopt;
  toolchain->name = "python_with_" + join(modules, "_");
  std::ranges::replace(toolchain->name, '.', '_');
  toolchain->python.modules = modules;
  return *std::move(toolchain);
}

/// The same for a server, as a suite's only timer.
serve::SuiteText document_of(const TimeOptions& options, const std::optional<Toolchain>& own) {
  json::Object timer{{"label", json::Array{"statement"}},
                     {"language", options.language},
                     {"stmt", options.stmt},
                     {"threads", options.threads}};
  if (!options.setup.empty()) timer["setup"] = options.setup;
  if (!options.global_setup.empty()) timer["global_setup"] = options.global_setup;
  if (!options.toolchain.empty()) timer["toolchain"] = options.toolchain;
  if (!options.device.empty()) timer["device"] = options.device;
  if (!options.flush.empty()) timer["flush"] = options.flush;
  json::Object document{{"schema", 1}};
  if (own) {
    timer["toolchain"] = own->name;
    document["toolchain"] =
        json::Object{{own->name, json::Object{{"extends", "python"}, {"requires", own->python.modules}}}};
  }
  document["timer"] = json::Array{std::move(timer)};
  return {.document = std::move(document)};
}

}  // namespace

int run_time(const Context& context, const TimeOptions& options, std::ostream& out, std::ostream& err) {
  Suite suite;
  Timer timer{.label = {"statement"},
              .language = options.language == "python" ? Language::python : Language::cpp,
              .stmt = {options.stmt, {}},
              .setup = {options.setup, {}},
              .global_setup = {options.global_setup, {}}};
  timer.options.threads = {options.threads};
  const std::optional<Toolchain> own = own_toolchain(options, suite);
  timer.options.toolchain = own ? own->name : options.toolchain;
  if (own) {
    if (auto added = suite.add_toolchain(*own); !added) return report_error(added.error(), err);
  }
  if (!options.device.empty()) timer.options.devices = {options.device};
  if (options.flush == "l2") timer.options.settings.flush = Flush::l2;
  if (auto added = suite.add(std::move(timer)); !added) return report_error(added.error(), err);
  auto plan = make_plan(suite, {});
  if (!plan) return report_error(plan.error(), err);
  auto settings = settings_of(options.run);
  if (!settings) return report_error(settings.error(), err);
  if (auto fine = check_outputs({options.json, options.run.csv, options.run.markdown}); !fine)
    return report_error(fine.error(), err);
  if (const auto view = view_of(options.run); !view) return report_error(view.error(), err);
  auto measuring = Measuring::begin(context, options.run, err);
  if (!measuring) return report_error(measuring.error(), err);
  const RunRequest request{.plan = &*plan,
                           .caller = caller_of(context, options.run),
                           .settings = *std::move(settings),
                           .tools = options.run.tools};
  auto measured = (*measuring)->measure(request, {document_of(options, own), Selection{}});
  if (!measured) return report_error(measured.error(), err);
  if (!options.json.empty() && !is_beside_file(options.json)) measuring->reset();  // as in `run`
  if (auto printed = print_record(context, options.run, *measured, options.json, out); !printed)
    return report_error(printed.error(), err);
  if (measured->stopped) report_error(*measured->stopped, err);
  return exit_code_of(*measured);
}

}  // namespace tally::cli
