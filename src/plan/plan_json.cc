#include <algorithm>

#include "json/text.h"
#include "plan/plan.h"

namespace tally {
namespace {

using json::Object;

/// What the suite says; what it leaves to others is not there.
Object to_json(const CaseSettings& settings) {
  const auto seconds = [](std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; };
  Object json;
  if (settings.timeout) json["timeout_s"] = seconds(*settings.timeout);
  if (settings.iterations) json["iterations"] = *settings.iterations;
  if (settings.replicates) json["replicates"] = *settings.replicates;
  if (settings.min_run_time) json["min_run_time_s"] = seconds(*settings.min_run_time);
  if (settings.max_run_time) json["max_run_time_s"] = seconds(*settings.max_run_time);
  if (settings.precision) json["precision"] = *settings.precision;
  if (settings.memory_bytes) json["memory_bytes"] = *settings.memory_bytes;
  if (settings.retries) json["retries"] = *settings.retries;
  return json;
}

Object to_json(const Case& one, const Toolchain& toolchain) {
  Object params;
  for (const auto& [name, value] : one.params) params[name] = value;
  json::Value artifact;
  if (one.artifact) artifact = Object{{"name", one.artifact->name}, {"script", one.artifact->script.text()}};
  Object json = {{"id", one.id},
                 {"label", one.label},
                 {"language", to_string(one.language)},
                 {"runtime", one.runtime},
                 {"autograd", to_string(one.autograd)},
                 {"threads", one.threads},
                 {"params", std::move(params)},
                 {"tags", one.tags},
                 {"toolchain", one.toolchain},
                 {"settings", to_json(one.settings)},
                 {"stmt", one.stmt.text()},
                 {"setup", one.setup.text()},
                 {"global_setup", one.global_setup.text()},
                 {"artifact", std::move(artifact)},
                 {"digest", one.digest}};
  if (!one.device.empty()) json["device"] = one.device;
  if (!one.load.empty()) json["load"] = one.load.text();
  if (!toolchain.own_host.executable.empty())
    json["program"] = Object{{"path", toolchain.own_host.executable}, {"args", toolchain.own_host.args}};
  if (const auto& command = one.command) {
    Object environment;
    for (const auto& [name, value] : command->environment) environment[name] = value;
    Object line{
        {"run", command->run},       {"folder", command->folder},          {"input", command->input},
        {"output", command->output}, {"expect_status", command->expected}, {"environment", std::move(environment)}};
    if (command->own_numbers) line["own_process_numbers"] = true;
    if (command->private_tmp) line["private_tmp"] = true;
    json["command"] = std::move(line);
  }
  if (const auto& program = toolchain.own_host.python)
    json["program"] =
        Object{{program->framework, program->paths}, {"folder", program->folder}, {"args", toolchain.own_host.args}};
  return json;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  json::Array cases;
  for (const Case& one : plan.cases) {
    cases.push_back(to_json(one, *std::ranges::find(plan.toolchains, one.toolchain, &Toolchain::name)));
  }
  // TOML guarantees UTF-8; a suite built in code may hold other bytes, which must not end the program.
  return json::to_text(Object{{"cases", std::move(cases)}}, 2) + "\n";
}

}  // namespace tally
