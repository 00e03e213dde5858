#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "json/scan.h"
#include "record/json.h"
#include "record/json_fields.h"
#include "record/json_head.h"
#include "record/soundness.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

/// The first thing found wrong; what comes after it is not looked at.
struct Problem {
  std::string place;
  std::string message;
  [[nodiscard]] bool found() const { return !message.empty(); }
  void report(std::string at, std::string what) {
    if (!found()) *this = {std::move(at), std::move(what)};
  }
};

void read(const Json& json, const std::string& place, Problem& problem, auto& value);

/// Fills the keys named by `fields` from an object.
struct Reader {
  const Json& object;
  const std::string& place;
  Problem& problem;

  [[nodiscard]] std::string path(const char* key) const { return place.empty() ? key : place + "." + key; }
  const Json* find(const char* key) const {
    const auto it = object.find(key);
    return it == object.end() ? nullptr : &*it;
  }
  void operator()(const char* key, auto& value) {
    if (problem.found()) return;
    if (const Json* json = find(key)) {
      read(*json, path(key), problem, value);
    } else {
      problem.report(path(key), "missing");
    }
  }
  void optional(const char* key, auto& value) {
    const Json* json = problem.found() ? nullptr : find(key);
    if (json && !json->is_null()) read(*json, path(key), problem, value.emplace());
  }
  void nullable(const char* key, auto& value) { optional(key, value); }
  void word(const char* key, std::string& value, const auto& words) {
    (*this)(key, value);
    if (problem.found() || std::ranges::find(words, value) != words.end()) return;
    problem.report(path(key), fmt::format("'{}' is not one of {}", value, fmt::join(words, ", ")));
  }
};

/// The same where any key may be absent.
struct PartialReader {
  Reader reader;
  std::vector<std::string_view> keys;

  void operator()(const char* key, auto& value) {
    keys.emplace_back(key);
    const Json* json = reader.find(key);
    if (json != nullptr && !json->is_null()) reader(key, value);
  }
  void optional(const char* key, auto& value) {
    keys.emplace_back(key);
    reader.optional(key, value);
  }
  void word(const char* key, std::string& value, const auto& words) {
    keys.emplace_back(key);
    const Json* json = reader.find(key);
    if (json != nullptr && !json->is_null()) reader.word(key, value, words);
  }
};

template <typename T>
struct FromJson {
  void operator()(const Json& json, const std::string& place, Problem& problem, T& value) const {
    if (!json.is_object()) return problem.report(place, "must be an object");
    Reader reader{json, place, problem};
    record_json::fields(reader, value);
  }
};

template <>
struct FromJson<std::string> {
  void operator()(const Json& json, const std::string& place, Problem& problem, std::string& value) const {
    if (!json.is_string()) return problem.report(place, "must be a string");
    value = json.get_ref<const std::string&>();
  }
};

template <>
struct FromJson<bool> {
  void operator()(const Json& json, const std::string& place, Problem& problem, bool& value) const {
    if (!json.is_boolean()) return problem.report(place, "must be true or false");
    value = json.get<bool>();
  }
};

template <>
struct FromJson<double> {
  void operator()(const Json& json, const std::string& place, Problem& problem, double& value) const {
    if (!json.is_number()) return problem.report(place, "must be a number");
    value = json.get<double>();
  }
};

template <std::integral T>
struct FromJson<T> {
  void operator()(const Json& json, const std::string& place, Problem& problem, T& value) const {
    const bool fits = json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>());
    if (!fits) return problem.report(place, "must be a whole number, 0 or more");
    value = static_cast<T>(json.get<std::uint64_t>());
  }
};

template <>
struct FromJson<CaseStatus> {
  void operator()(const Json& json, const std::string& place, Problem& problem, CaseStatus& value) const {
    using enum CaseStatus;
    for (const CaseStatus status : {ok, failed, timeout, crashed, skipped}) {
      if (json.is_string() && json.get_ref<const std::string&>() == to_string(status)) {
        value = status;
        return;
      }
    }
    problem.report(place, "must be one of ok, failed, timeout, crashed, skipped");
  }
};

template <>
struct FromJson<Interval> {
  void operator()(const Json& json, const std::string& place, Problem& problem, Interval& value) const {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
      return problem.report(place, "must be two numbers");
    }
    value = {json[0].get<double>(), json[1].get<double>()};
  }
};

template <typename T>
struct FromJson<std::vector<T>> {
  void operator()(const Json& json, const std::string& place, Problem& problem, std::vector<T>& values) const {
    if (!json.is_array()) return problem.report(place, "must be an array");
    values.resize(json.size());
    for (std::size_t i = 0; i < values.size() && !problem.found(); ++i) {
      read(json[i], fmt::format("{}[{}]", place, i), problem, values[i]);
    }
  }
};

template <typename T>
struct FromJson<std::vector<std::pair<std::string, T>>> {
  void operator()(const Json& json, const std::string& place, Problem& problem,
                  std::vector<std::pair<std::string, T>>& values) const {
    if (!json.is_object()) return problem.report(place, "must be an object");
    for (const auto& [key, element] : json.items()) {
      if (problem.found()) return;
      read(element, fmt::format("{}.{}", place, key), problem, values.emplace_back(key, T{}).second);
    }
  }
};

template <typename T>
struct FromJson<std::map<std::string, T>> {
  void operator()(const Json& json, const std::string& place, Problem& problem,
                  std::map<std::string, T>& values) const {
    if (!json.is_object()) return problem.report(place, "must be an object");
    for (const auto& [key, element] : json.items()) {
      if (problem.found()) return;
      read(element, fmt::format("{}.{}", place, key), problem, values[key]);
    }
  }
};

void read(const Json& json, const std::string& place, Problem& problem, auto& value) {
  FromJson<std::remove_cvref_t<decltype(value)>>{}(json, place, problem, value);
}

Result<Json> parse(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const std::string_view what = error.what();
    // "[json.exception.parse_error.101] parse error at line …": the bracket is the library's, not the reader's.
    const std::size_t end = what.find("] ");
    return fail(ErrorKind::input, fmt::format("not JSON: {}", end == what.npos ? what : what.substr(end + 2)), where,
                "give a record that `tally run --json` wrote");
  }
}

std::unexpected<Error> wrong(const Problem& problem, const std::string& where) {
  return fail(ErrorKind::input, fmt::format("{}: {}", problem.place, problem.message), where,
              "the record is damaged or was edited; measure again");
}

/// The number that a record begins with, or why it is not read.
Result<int> schema_of(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains("schema")) {
    return fail(ErrorKind::input, "not a record: it has no \"schema\"", where,
                "give a record that `tally run --json` wrote");
  }
  const Json& schema = json["schema"];
  const std::int64_t number = schema.is_number_integer() ? schema.get<std::int64_t>() : 0;
  if (number >= 1 && number <= kRecordSchema) return static_cast<int>(number);
  if (number > kRecordSchema) {
    return fail(ErrorKind::input,
                fmt::format("record schema {} is newer than this tally, which reads 1 to {}", number, kRecordSchema),
                where, "read it with the version of tally that wrote it, or measure again with this one");
  }
  // Only a number is shown: what stands there may be nested deeper than printing it would stand.
  return fail(
      ErrorKind::input,
      fmt::format("record schema {} is not known", schema.is_number() ? schema.dump() : std::string("(no number)")),
      where, "give a record that `tally run --json` wrote");
}

/// Schema 1 to 2, the settings: an interleaved run stored the times of one of its three turns.
void migrate_settings(Json& settings) {
  settings["call_context"] = 0U;
  settings["noise_floor"] = false;
  if (settings.value("interleave", Json()) != true) return;
  for (const char* key : {"min_run_time_s", "max_run_time_s"}) {
    const auto time = settings.find(key);
    if (time != settings.end() && time->is_number()) *time = time->get<double>() * 3;
  }
}

/// Schema 1 to 2, the keys: a record was of one machine.
void migrate_keys(Json& record) {
  if (const auto settings = record.find("settings"); settings != record.end() && settings->is_object())
    migrate_settings(*settings);
  if (const auto machine = record.find("machine"); machine != record.end()) {
    record["machines"] = Json::array({*machine});
    record.erase("machine");
  }
  const auto cases = record.find("cases");
  if (cases == record.end() || !cases->is_array()) return;
  for (Json& one : *cases) {
    if (one.is_object()) one["machine"] = 0U;
  }
}

/// Schema 1 to 2, the ids, made anew from each case's own facts. An eager case and an explicit one of the same label
/// have one id now: the second keeps what it was called.
void migrate_ids(std::vector<CaseRecord>& cases) {
  std::unordered_set<std::string> ids;
  for (CaseRecord& one : cases) {
    std::string id = id_by_facts(one);
    if (ids.insert(id).second) one.id = std::move(id);
  }
}

/// Counts were taken to follow from all of the processor.
void migrate_machine(Environment& environment) {
  if (environment.machine) return;
  for (const std::string_view name : kMachineFacts) {
    auto fact = environment.facts.extract(std::string(name));
    if (fact.empty()) continue;
    if (!environment.machine) environment.machine.emplace();
    environment.machine->insert(std::move(fact));
  }
}

void report(const std::optional<Fault>& fault, const std::string& place, Problem& problem) {
  if (fault) problem.report(place + fault->place, fault->message);
}

/// The key that an object of the record or of a case has twice: readers would not agree on what it says.
std::optional<std::string> key_twice(std::string_view text, int levels) {
  json::Scanner scanner(text);
  std::vector<std::pair<std::string_view, std::string_view>> members;
  if (scanner.enter('{')) {
    for (std::string_view key; scanner.next_member(key);) {
      const auto value = scanner.value();
      if (!value) return std::nullopt;
      members.emplace_back(key, *value);
    }
  } else {
    scanner = json::Scanner(text);
    if (!scanner.enter('[')) return std::nullopt;
    while (scanner.next_element()) {
      const auto value = scanner.value();
      if (!value) return std::nullopt;
      if (!value->starts_with('{')) return std::nullopt;  // no list mixes objects with anything
      if (auto twice = key_twice(*value, levels - 1)) return twice;
    }
    return std::nullopt;
  }
  std::vector<std::string_view> keys;
  keys.reserve(members.size());
  for (const auto& [key, value] : members) keys.push_back(key);
  std::ranges::sort(keys);
  if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end()) return std::string(*twice);
  for (const auto& [key, value] : members) {
    if (levels == 0 || (!value.starts_with('{') && !value.starts_with('['))) continue;
    if (auto twice = key_twice(value, levels - 1)) return twice;
  }
  return std::nullopt;
}

void check_ids(const std::vector<CaseRecord>& cases, Problem& problem) {
  std::unordered_set<std::string_view> ids;
  for (std::size_t i = 0; i < cases.size() && !problem.found(); ++i) {
    if (ids.insert(cases[i].id).second) continue;
    problem.report(fmt::format("cases[{}].id", i), fmt::format("'{}' stands there twice", cases[i].id));
  }
}

}  // namespace

Result<CaseRecord> unchecked_case_from_json(std::string_view text, const std::string& where, const std::string& place) {
  const Result<Json> json = parse(text, where);
  if (!json) return std::unexpected(json.error());
  CaseRecord record;
  Problem problem;
  read(*json, place, problem, record);
  if (problem.found()) return wrong(problem, where);
  return record;
}

Status check_case(const CaseRecord& record, const std::string& where, const std::string& place) {
  Problem problem;
  const std::string before = place.empty() ? place : place + ".";
  report(fault_of(record), before, problem);
  report(fault_of_id(record), before, problem);
  if (problem.found() && !record.id.empty() && !problem.message.contains(record.id))
    problem.message += fmt::format(" ('{}')", record.id);
  if (problem.found()) return wrong(problem, where);
  return {};
}

Result<CaseRecord> case_from_json(std::string_view text, const std::string& where) {
  Result<CaseRecord> record = unchecked_case_from_json(text, where, "");
  if (!record) return record;
  if (Status sound = check_case(*record, where, ""); !sound) return std::unexpected(sound.error());
  return record;
}

Result<Settings> settings_from_json(std::string_view text, const std::string& where) {
  const Result<Json> json = parse(text, where);
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return fail(ErrorKind::input, "must be an object", where);
  Settings settings;
  Problem problem;
  const std::string place;
  PartialReader reader{{*json, place, problem}, {}};
  record_json::fields(reader, settings);
  for (const auto& [key, value] : json->items()) {
    if (std::ranges::find(reader.keys, key) != reader.keys.end()) continue;
    return fail(ErrorKind::input, fmt::format("unknown setting '{}'", key), where,
                fmt::format("known are {}", fmt::join(reader.keys, ", ")));
  }
  if (problem.found()) return fail(ErrorKind::input, problem.message, fmt::format("{}.{}", where, problem.place));
  return settings;
}

Status check_part(const Record& head, std::size_t cases, const std::string& where) {
  if (!head.part) return {};
  const Part& part = *head.part;
  Problem problem;
  if (part.cases > kMostCases)
    problem.report("part.cases", fmt::format("{} cases are more than a plan can have ({})", part.cases, kMostCases));
  if (part.count < 1 || part.count > kMostShards) problem.report("part.count", "must be 1 or more, and no million");
  if (part.index && (*part.index < 1 || *part.index > part.count))
    problem.report("part.index", fmt::format("there are {} parts", part.count));
  for (const int missing : part.missing.value_or(std::vector<int>())) {
    if (missing < 1 || missing > part.count)
      problem.report("part.missing", fmt::format("there are {} parts", part.count));
  }
  const std::size_t places = part.places ? part.places->size() : part.cases;
  if (places != cases) {
    problem.report(part.places ? "part.places" : "part.cases",
                   fmt::format("of {} cases, and there are {}", places, cases));
  }
  if (part.places && std::ranges::adjacent_find(*part.places, std::greater_equal<>()) != part.places->end())
    problem.report("part.places", "must rise");
  if (part.places && !part.places->empty() && part.places->back() >= part.cases)
    problem.report("part.places", fmt::format("the plan has {} cases", part.cases));
  if (problem.found()) return wrong(problem, where);
  return {};
}

Result<Record> head_from_json(std::string_view text, const std::string& where) {
  Result<Json> json = parse(text, where);
  if (!json) return std::unexpected(json.error());
  const Result<int> schema = schema_of(*json, where);
  if (!schema) return std::unexpected(schema.error());
  if (const auto twice = key_twice(text, 3)) {
    return fail(ErrorKind::input, fmt::format("the key '{}' stands there twice in one object", *twice), where,
                "the record is damaged or was edited; measure again");
  }
  if (*schema == 1) migrate_keys(*json);
  Record record;
  Problem problem;
  read(*json, "", problem, record);
  Reader{*json, "", problem}("cases", record.cases);
  check_ids(record.cases, problem);
  if (*schema == 1) migrate_ids(record.cases);
  check_ids(record.cases, problem);
  for (auto& [name, environment] : record.environments) migrate_machine(environment);
  report(fault_of(record), "", problem);
  if (problem.found()) return wrong(problem, where);
  for (std::size_t i = 0; i < record.cases.size() && !problem.found(); ++i) {
    const std::string place = fmt::format("cases[{}].", i);
    if (Status sound = check_case(record.cases[i], where, fmt::format("cases[{}]", i)); !sound)
      return std::unexpected(sound.error());
    if (record.cases[i].machine >= record.machines.size()) {
      problem.report(place + "machine", fmt::format("there is no machine {}", record.cases[i].machine));
    }
    const std::optional<std::string>& environment = record.cases[i].environment;
    if (environment && !record.environments.contains(*environment))
      problem.report(place + "environment", fmt::format("there is no environment '{}'", *environment));
  }
  if (problem.found()) return wrong(problem, where);
  return record;
}

Result<Record> record_from_json(std::string_view text, const std::string& where) {
  Result<Record> record = head_from_json(text, where);
  if (!record) return record;
  if (Status fine = check_part(*record, record->cases.size(), where); !fine) return std::unexpected(fine.error());
  return record;
}

}  // namespace tally
