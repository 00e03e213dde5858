#include "cli/doctor_machine.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "base/digest.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/file_digests.h"
#include "definition/builtin_toolchains.h"
#include "execution/environment.h"
#include "execution/python_host.h"
#include "json/text.h"
#include "measurement/settings.h"
#include "run/machine.h"
#include "run/toolchains.h"
#include "run/valgrind.h"

namespace tally::cli {

namespace {

/// What tests/machines/same_counts_test.py holds, in its words.
constexpr const char* kMovesNothing =
    "what moves none (tests/machines/same_counts_test.py): how many processors there are, the machine's name, homes "
    "and\n"
    "users, rules for names, a folder of the user's packages, the stack's limit, time zones, languages, conversions, "
    "the\n"
    "loader's cache, packages beside, the disk, what lies in / and in Python's standard library\n";

/// What may move counts, and what to do.
struct Warning {
  std::string where;
  std::string what;
};

using Environments = std::map<std::string, Environment>;

std::string shown(const std::string& value) {
  constexpr std::size_t kept = 8;
  return is_digest(value) ? value.substr(0, kept) + "…" : value;
}

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

}  // namespace

int describe_this_machine(ProcessRunner& runner, const Context& context, bool as_json, std::ostream& out) {
  const EnvironmentVariables filtered = filter_environment(context.environment, {});
  const auto valgrind = find_valgrind(runner, context.environment, context.environment, context.libexec);
  const bool by_counter = valgrind && !valgrind->counter.empty();
  std::map<std::string, std::string> common = common_facts(filtered, valgrind ? valgrind->version : "");
  common["counting"] = fmt::format("{}{}", counting_version, by_counter ? "" : " by callgrind");
  common["cpu.offered"] = offered_by_valgrind();

  std::vector<Warning> warnings;
  if (!valgrind) warnings.push_back({"everywhere", "nothing counts here: see tally doctor"});
  if (valgrind && !by_counter)
    warnings.push_back({"everywhere",
                        "Callgrind counts, and answers nothing of this table: install Tallymark with its "
                        "counter"});
  const auto root =
      default_cache_root(value_of(context.environment, "XDG_CACHE_HOME"), value_of(context.environment, "HOME"));
  const RunEnvironment environment{context.environment, filtered, context.working_folder};
  FileDigests digests(digests_folder(root.value_or("/nonexistent")));
  Environments environments;
  for (const Toolchain& toolchain : builtin_toolchains()) {
    const ResolvedToolchain resolved =
        resolve_toolchain(runner, toolchain, {}, environment, Cache(root.value_or("/nonexistent")));
    for (const Language language : {Language::cpp, Language::python}) {
      const bool is_there = language == Language::cpp ? resolved.compiler && resolved.compiler->has_value()
                                                      : resolved.interpreter && resolved.interpreter->has_value();
      if (!is_there) continue;
      const std::string name = environment_name(toolchain.name, to_string(language), {});
      environments[name] = describe_environment(runner, resolved, language, {}, filtered, digests);
      if (language == Language::python) warn_of_python(name, resolved, filtered, warnings);
    }
  }

  if (as_json) {
    const auto object_of = [](const std::map<std::string, std::string>& facts) {
      json::Object object;
      for (const auto& [fact, value] : facts) object[fact] = value;
      return object;
    };
    json::Object described;
    for (const auto& [name, one] : environments)
      described[name] = json::Object{{"facts", object_of(one.facts)}, {"subject", object_of(one.subject)}};
    json::Array list;
    for (const Warning& one : warnings) list.push_back(json::Object{{"where", one.where}, {"what", one.what}});
    out << json::to_text(
               json::Object{
                   {"facts", object_of(common)}, {"environments", std::move(described)}, {"may_move", std::move(list)}},
               2)
        << '\n';
    return kFine;
  }
  const auto print = [&](const std::string& title, const std::map<std::string, std::string>& facts) {
    if (facts.empty()) return;
    fmt::print(out, "{}\n", title);
    for (const auto& [fact, value] : facts) fmt::print(out, "  {:30} {}\n", fact, shown(value));
  };
  out << "counts follow from these: a machine on which they are the same reads the same counts\n\n";
  print("everywhere", common);
  for (const auto& [name, one] : environments) {
    std::map<std::string, std::string> all = one.facts;
    all.insert(one.subject.begin(), one.subject.end());
    print(name, all);
  }
  out << "\nwhat may move counts, though none of these says so\n";
  for (const Warning& one : warnings) fmt::print(out, "  {}: {}\n", one.where, one.what);
  if (warnings.empty()) out << "  nothing that is known\n";
  out << "\n" << kMovesNothing;
  return kFine;
}

}  // namespace tally::cli
