#include "json/text.h"
#include "plan/plan.h"

namespace tally {
namespace {

using json::Object;

Object to_json(const Case& c) {
  Object params;
  for (const auto& [name, value] : c.params) params[name] = value;
  json::Value artifact;
  if (c.artifact) artifact = Object{{"name", c.artifact->name}, {"script", c.artifact->script.text()}};
  return {{"id", c.id},
          {"label", c.label},
          {"language", to_string(c.language)},
          {"runtime", to_string(c.runtime)},
          {"autograd", to_string(c.autograd)},
          {"threads", c.threads},
          {"params", std::move(params)},
          {"tags", c.tags},
          {"toolchain", c.toolchain},
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
