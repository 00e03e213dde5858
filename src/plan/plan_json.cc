#include <nlohmann/json.hpp>

#include "plan/plan.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Case& c) {
  Json params = Json::object();
  for (const auto& [name, value] : c.params) params[name] = value;
  Json artifact;
  if (c.artifact) artifact = {{"name", c.artifact->name}, {"script", c.artifact->script.text()}};
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
  Json cases = Json::array();
  for (const Case& c : plan.cases) cases.push_back(to_json(c));
  const Json document = {{"cases", std::move(cases)}};
  // TOML guarantees UTF-8; a suite built in code may hold other bytes, which must not end the program.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tally
