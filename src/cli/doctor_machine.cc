#include "cli/doctor_machine.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/file_digests.h"
#include "definition/builtin_toolchains.h"
#include "discovery/toolchains.h"
#include "discovery/valgrind.h"
#include "hosts/environment.h"
#include "hosts/python_host.h"
#include "json/text.h"
#include "run/machine.h"

namespace tally::cli {

namespace {

/// What tests/machines/same_counts_test.py holds, a line each.
constexpr const char* kMovesNothing[] = {
    "how many processors there are, the machine's name, its disk, the stack's limit",
    "homes and users, rules for names, a folder of the user's packages, packages beside",
    "time zones, languages, conversions, the loader's cache",
    "what else lies in /, in Python's standard library and in folders of PYTHONPATH",
};

using Facts = std::map<std::string, std::string>;

/// What may move counts, and what to do.
struct Warning {
  std::string where;
  std::string what;
};

struct ThisMachine {
  Facts common;
  std::map<std::string, Environment> environments;  ///< By environment_name().
  std::vector<Warning> warnings;
};

void warn_of_python(const std::string& name, const ResolvedToolchain& toolchain,
                    const EnvironmentVariables& environment, std::vector<Warning>& warnings) {
  const ResolvedInterpreter& interpreter = **toolchain.interpreter;
  const std::string folder = folder_of_environment(interpreter.path);
  if (folder != "/usr")
    warnings.push_back({name, fmt::format("lies in {}: functions keep their files' names, so an environment in another "
                                          "folder reads some counts otherwise; compare those of one folder",
                                          folder)});
  if (const std::string_view path = value_of(environment, "PYTHONPATH"); !path.empty())
    warnings.push_back(
        {name, fmt::format("PYTHONPATH is set ({}): each folder more to look through moves some counts", path)});
  HostKind kind;
  kind.language = Language::python;
  kind.counted = true;
  if (!begins_with_first_modules(toolchain, kind, environment))
    warnings.push_back(
        {name, fmt::format("what lies in the folders of modules moves counts, because the start of Python "
                           "{} is not known",
                           interpreter.version)});
}

void look_at_counter(ProcessRunner& runner, const Context& context, ThisMachine& machine) {
  const auto valgrind = find_valgrind(runner, context.environment, context.environment, context.libexec);
  const bool by_callgrind = valgrind && valgrind->counter.empty();
  machine.common = common_facts(filter_environment(context.environment, {}), valgrind ? valgrind->version : "");
  machine.common.merge(counting_facts(by_callgrind));
  if (!valgrind) machine.warnings.push_back({"everywhere", "nothing counts here: see tally doctor"});
  if (by_callgrind)
    machine.warnings.push_back(
        {"everywhere",
         "Callgrind counts, and answers for nothing of this machine: install Tallymark with its counter"});
}

void look_at_toolchains(ProcessRunner& runner, const Context& context, ThisMachine& machine) {
  const auto found =
      default_cache_root(value_of(context.environment, "XDG_CACHE_HOME"), value_of(context.environment, "HOME"));
  const std::filesystem::path root = found.value_or("/nonexistent");
  const RunEnvironment environment{context.environment, filter_environment(context.environment, {}),
                                   context.working_folder};
  FileDigests digests(digests_folder(root));
  for (const Toolchain& toolchain : builtin_toolchains()) {
    const ResolvedToolchain resolved = resolve_toolchain(runner, toolchain, {}, environment, Cache(root));
    const auto describe = [&](Language language) {
      const std::string name = environment_name(toolchain.name, to_string(language));
      machine.environments[name] = describe_environment(runner, resolved, language, {}, environment.filtered, digests);
      if (language == Language::python) warn_of_python(name, resolved, environment.filtered, machine.warnings);
    };
    if (resolved.compiler && resolved.compiler->has_value()) describe(Language::cpp);
    if (resolved.interpreter && resolved.interpreter->has_value()) describe(Language::python);
  }
}

json::Object object_of(const Facts& facts) {
  json::Object object;
  for (const auto& [fact, value] : facts) object[fact] = value;
  return object;
}

json::Object to_json(const ThisMachine& machine) {
  json::Object environments;
  for (const auto& [name, one] : machine.environments)
    environments[name] = json::Object{{"facts", object_of(one.facts)}, {"subject", object_of(one.subject)}};
  json::Array may_move;
  for (const auto& [where, what] : machine.warnings) may_move.push_back(json::Object{{"where", where}, {"what", what}});
  return {{"facts", object_of(machine.common)},
          {"environments", std::move(environments)},
          {"may_move", std::move(may_move)}};
}

void print(const std::string& title, const Facts& facts, std::ostream& out) {
  fmt::print(out, "{}\n", title);
  for (const auto& [fact, value] : facts) fmt::print(out, "  {:30} {}\n", fact, shortened_digest(value));
}

void print(const ThisMachine& machine, std::ostream& out) {
  out << "counts follow from these: a machine on which they are the same reads the same counts\n\n";
  print("everywhere", machine.common, out);
  for (const auto& [name, one] : machine.environments) {
    Facts all = one.facts;
    all.insert(one.subject.begin(), one.subject.end());
    print(name, all, out);
  }
  out << "\nwhat may move counts, though none of these says so\n";
  for (const auto& [where, what] : machine.warnings) fmt::print(out, "  {}: {}\n", where, what);
  if (machine.warnings.empty()) out << "  nothing that is known\n";
  out << "\nwhat moves none (tests/machines/same_counts_test.py)\n";
  for (const char* const line : kMovesNothing) fmt::print(out, "  {}\n", line);
}

}  // namespace

int describe_this_machine(ProcessRunner& runner, const Context& context, bool as_json, std::ostream& out) {
  ThisMachine machine;
  look_at_counter(runner, context, machine);
  look_at_toolchains(runner, context, machine);
  if (as_json) {
    out << json::to_text(to_json(machine), 2) << '\n';
  } else {
    print(machine, out);
  }
  return kFine;
}

}  // namespace tally::cli
