#include "run/journal_header.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"

namespace tally {

namespace {

using Facts = std::map<std::string, std::string>;

// Deadlines, memory limits and retries are not among them: they decide whether there is a figure, not which.

std::string text_of(const auto& optional) { return optional ? fmt::format("{}", *optional) : "default"; }

void add_settings(Facts& facts, const Settings& settings) {
  const auto add = [&](const char* name, const auto& value) { facts[name] = fmt::format("{}", value); };
  add("counts", settings.counts);
  add("times", settings.wall);
  add("--iterations", text_of(settings.iterations));
  add("--replicates", settings.replicates);
  add("--repeat", settings.repeat);
  add("--interleave", settings.interleave);
  add("--isolation", settings.isolation);
  add("--entropy", *settings.entropy);
  add("--time-of-day", settings.time_of_day.value_or("system"));
  add("--aa", settings.noise_floor);
  add("--cache-sim", settings.cache_sim);
  add("--branch-sim", settings.branch_sim);
  add("--call-context", settings.call_context);
  add("--min-run-time", settings.min_run_time_s);
  add("--max-run-time", settings.max_run_time_s);
  add("--precision", settings.precision);
  add("number_per_run", text_of(settings.number_per_run));
  add("--keep-env", join(settings.kept_environment, ", "));
}

void add_cases(Facts& facts, const Plan& plan) {
  Digest cases;
  Digest own;
  for (const Case& one : plan.cases) {
    cases.add(one.id).add(one.digest);
    own.add(own_settings(one.settings));
  }
  facts["suite or choice of cases"] = cases.hex();
  facts["settings of single benchmarks"] = own.hex();
}

}  // namespace

JournalHeader journal_header(const Plan& plan, const Settings& settings, const Tools& tools,
                             const EnvironmentVariables& environment,
                             const std::map<std::string, Environment>& environments) {
  JournalHeader header;
  add_cases(header.facts, plan);
  add_settings(header.facts, settings);
  header.facts["--cxx"] = tools.cxx;
  header.facts["--python"] = tools.python;
  header.facts["--env-command"] = tools.env_command;
  for (const auto& [name, value] : environment) {
    // Where the user's shell stands is no part of what is measured: hosts learn it late.
    if (name != "PATH") header.facts["variable " + name] = value;
  }
  for (const auto& [name, one] : environments) {
    for (const auto& [fact, value] : one.facts) header.facts[fmt::format("{} of {}", fact, name)] = value;
    for (const auto& [fact, value] : one.machine.value_or(std::map<std::string, std::string>()))
      header.facts[fmt::format("{} of {}", fact, name)] = value;
    for (const auto& [file, value] : one.subject) header.facts[fmt::format("{} of {}", file, name)] = value;
  }
  return header;
}

}  // namespace tally
