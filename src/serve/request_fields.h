/// The one list of a measure request's fields, which reading and writing share: `fields(archive, part)` names every key
/// of a part in order.
///
/// An archive is called as archive(key, value, rule), or archive.either(key, flag, value) for a key that holds a flag
/// or an object. Each list takes its part apart into names: a member that is added to a part does not compile until it
/// is listed. docs/reference/serve.md, schema/request-1.schema.json and python/tallymark/_client/request.py say the
/// same, and a test holds them to it. Internal to src/serve.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/error.h"
#include "json/value.h"
#include "run/probes/table.h"
#include "serve/request.h"

namespace tally::serve {

enum class Rule {
  optional,       ///< Absent, it has its default.
  required,       ///< It is there; a text is not empty.
  path,           ///< Absolute where it is there.
  required_path,  ///< It is there, and absolute.
};

template <typename T, typename Struct>
concept is = std::same_as<std::remove_const_t<T>, Struct>;

void fields(auto& a, is<SuiteText> auto& s) {
  auto& [text, document, path] = s;
  a("text", text, Rule::optional);
  a("document", document, Rule::optional);
  a("path", path, Rule::optional);
}

void fields(auto& a, is<Selection> auto& s) {
  auto& [filters, excludes, shard, last_times, where] = s;
  a("filter", filters, Rule::optional);
  a("exclude", excludes, Rule::optional);
  a("shard", shard, Rule::optional);
  a("last_times", last_times, Rule::optional);
  std::ignore = where;  // of errors here
}

void fields(auto& a, is<Tools> auto& t) {
  auto& [cxx, python, env_command, here] = t;
  a("cxx", cxx, Rule::optional);
  a("python", python, Rule::optional);
  a("env_command", env_command, Rule::optional);
  a("here", here, Rule::optional);
}

void fields(auto& a, is<SourceRequest> auto& s) {
  auto& [measured, folder, commit] = s;
  a("measured", measured, Rule::path);
  a("folder", folder, Rule::path);
  a("commit", commit, Rule::optional);
}

void fields(auto& a, is<JournalRequest> auto& j) {
  auto& [path, resume] = j;
  a("path", path, Rule::required_path);
  a("resume", resume, Rule::optional);
}

void fields(auto& a, is<ProfileRequest> auto& p) {
  auto& [folder, name, wanted, sources, baselines] = p;
  a("folder", folder, Rule::required_path);
  a("name", name, Rule::required);
  for (const KeptProbe* probe : probes::kTable) {
    if (probe->field.empty()) continue;
    bool is_wanted = wanted.contains(*probe);
    a(probe->field, is_wanted, Rule::optional);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(wanted)>>) wanted.set(*probe, is_wanted);
  }
  a("sources", sources, Rule::optional);
  a("baselines", baselines, Rule::optional);
}

void fields(auto& a, is<MeasureRequest> auto& r) {
  auto& [suite, selection, settings, tools, caller, source, cores, journal, profiles, keeps_profiles, functions_alone,
         notes_inputs] = r;
  auto& [environment, working_folder, command] = caller;
  a("suite", suite, Rule::required);
  a("environment", environment, Rule::required);
  a("working_folder", working_folder, Rule::required_path);
  a("select", selection, Rule::optional);
  a("settings", settings, Rule::optional);
  a("tools", tools, Rule::optional);
  a("command", command, Rule::optional);
  a("cores", cores, Rule::optional);
  a("source", source, Rule::optional);
  a("journal", journal, Rule::optional);
  a.either("profiles", keeps_profiles, profiles);
  a("functions_alone", functions_alone, Rule::optional);
  a("notes_inputs", notes_inputs, Rule::optional);
}

/// Everything that it holds; what is empty is left out.
json::Object object_of(const MeasureRequest& request);

/// `more` are keys that somebody else reads. An error (input) has the place of the first thing found wrong.
Status read_fields(const json::Value& object, const std::string& place, std::initializer_list<std::string_view> more,
                   MeasureRequest& request);

}  // namespace tally::serve
