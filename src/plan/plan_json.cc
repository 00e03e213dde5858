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
  return json;
}

Object to_json(const Case& c) {
  Object params;
  for (const auto& [name, value] : c.params) params[name] = value;
  json::Value artifact;
  if (c.artifact) artifact = Object{{"name", c.artifact->name}, {"script", c.artifact->script.text()}};
  return {{"id", c.id},
          {"label", c.label},
          {"language", to_string(c.language)},
          {"runtime", c.runtime},
          {"autograd", to_string(c.autograd)},
          {"threads", c.threads},
          {"params", std::move(params)},
          {"tags", c.tags},
          {"toolchain", c.toolchain},
          {"settings", to_json(c.settings)},
          {"stmt", c.stmt.text()},
          {"setup", c.setup.text()},
          {"global_setup", c.global_setup.text()},
          {"artifact", std::move(artifact)},
          {"digest", c.digest}};
}

}  // namespace

std::string plan_json(const Plan& plan) {
  json::Array cases;
  for (const Case& c : plan.cases) cases.push_back(to_json(c));
  // TOML guarantees UTF-8; a suite built in code may hold other bytes, which must not end the program.
  return json::to_text(Object{{"cases", std::move(cases)}}, 2) + "\n";
}

}  // namespace tally
