#include "serve/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "json/text.h"
#include "process/cpu_set.h"
#include "record/json.h"
#include "serve/object_reader.h"

namespace tally::serve {

namespace {

template <typename T>
Result<Request> whole_request(const ObjectReader& reader, T request) {
  if (Status ok = reader.status(); !ok) return std::unexpected(ok.error());
  return Request(std::move(request));
}

bool is_id(const json::Value& value) { return value.text() != nullptr || value.whole() != nullptr; }

/// Which of the client's requests is meant.
json::Value read_of(ObjectReader& reader) {
  const json::Value& of = reader.value("of");
  if (!is_id(of)) reader.refuse("of", "must be the id of a measure request");
  return of;
}

Result<Request> read_hello(const json::Value& object) {
  constexpr auto kKeys = std::to_array<std::string_view>({"request", "id", "protocol", "client"});
  ObjectReader reader(object, "hello", kKeys);
  HelloRequest hello;
  if (!reader.has("protocol")) reader.refuse("protocol", "is missing");
  hello.protocol = reader.whole("protocol", 0);
  hello.client = reader.text("client");
  return whole_request(reader, std::move(hello));
}

void read_suite(ObjectReader& measure, MeasureRequest& request) {
  constexpr auto kKeys = std::to_array<std::string_view>({"text", "document", "path"});
  ObjectReader reader(measure.value("suite"), measure.place("suite"), kKeys);
  request.text = reader.text("text");
  request.path = reader.text("path");
  if (reader.has("document")) request.document = reader.value("document");
  if (reader.has("text") == reader.has("document"))
    reader.refuse("text", "a suite is either a text or a document", "give one of the two");
  if (Status ok = reader.status(); !ok) measure.refuse(ok.error());
}

void read_selection(ObjectReader& measure, MeasureRequest& request) {
  if (!measure.has("select")) return;
  constexpr auto kKeys = std::to_array<std::string_view>({"filter", "exclude", "shard", "last_times"});
  ObjectReader reader(measure.value("select"), measure.place("select"), kKeys);
  request.selection.filters = reader.texts("filter");
  request.selection.excludes = reader.texts("exclude");
  if (reader.has("shard")) {
    const auto shard = parse_shard(reader.text("shard"));
    if (shard) {
      request.selection.shard = *shard;
    } else {
      reader.refuse(shard.error());
    }
  }
  if (reader.has("last_times")) {
    const json::Value& times = reader.value("last_times");
    if (times.object() == nullptr || !reader.has("shard"))
      reader.refuse("last_times", "must be an object of ids and seconds, beside a shard");
    LastTimes last;
    for (const auto& [id, seconds] : times.object() == nullptr ? json::Object() : *times.object()) {
      if (!seconds.number() || *seconds.number() < 0) reader.refuse("last_times." + id, "must be a number of seconds");
      last[id] = seconds.number().value_or(0);
    }
    request.selection.last_times = std::move(last);
  }
  if (Status ok = reader.status(); !ok) measure.refuse(ok.error());
}

/// What the command line would not take is not taken here either.
Status check_settings(const Settings& settings) {
  struct Limit {
    std::string_view key;
    double value;
    double low;
    double high;
  };
  constexpr double kDay = 86400;
  const auto limits = std::to_array<Limit>({
      {"iterations", static_cast<double>(settings.iterations), 1, 1e9},
      {"replicates", static_cast<double>(settings.replicates), 1, 1000},
      {"max_replicates", static_cast<double>(settings.max_replicates), 1, 1000},
      {"repeat", static_cast<double>(settings.repeat), 1, 1000},
      {"call_context", static_cast<double>(settings.call_context), 0, 50},
      {"min_run_time_s", settings.min_run_time_s, 0.001, kDay},
      {"max_run_time_s", settings.max_run_time_s, 0.001, kDay},
      {"precision", settings.precision, 0.0001, 1},
      {"number_per_run", static_cast<double>(settings.number_per_run.value_or(1)), 1, 1e12},
      {"timeout_s", settings.timeout_s.value_or(1), 0.1, kDay},
      {"host_timeout_s", settings.host_timeout_s.value_or(1), 0.1, kDay},
      {"max_wait_s", settings.max_wait_s.value_or(0), 0, kDay},
      {"retries", static_cast<double>(settings.retries.value_or(0)), 0, 100},
      {"memory_bytes", static_cast<double>(settings.memory_bytes.value_or(1)), 1, 1e18},
  });
  for (const Limit& limit : limits) {
    if (limit.value >= limit.low && limit.value <= limit.high) continue;
    return fail(ErrorKind::input, fmt::format("must be from {} to {}, not {}", limit.low, limit.high, limit.value),
                fmt::format("measure.settings.{}", limit.key));
  }
  for (std::size_t i = 0; i < settings.kept_environment.size(); ++i) {
    const std::string& name = settings.kept_environment[i];
    if (!name.empty() && !name.contains('=') && !name.contains('\0')) continue;
    return fail(ErrorKind::input, fmt::format("'{}' is no name of a variable", name),
                fmt::format("measure.settings.kept_environment[{}]", i), "give names, or patterns of names");
  }
  if (settings.entropy && *settings.entropy != "fixed" && *settings.entropy != "system")
    return fail(ErrorKind::input, fmt::format("'{}' is not one of fixed, system", *settings.entropy),
                "measure.settings.entropy");
  if (settings.counts || settings.wall) return {};
  return fail(ErrorKind::input, "nothing is to be measured", "measure.settings", "let counts or wall be true");
}

void read_settings(ObjectReader& measure, MeasureRequest& request) {
  if (measure.has("settings")) {
    auto settings = settings_from_json(json::to_text(measure.value("settings")), measure.place("settings"));
    if (!settings) return measure.refuse(settings.error());
    request.settings = *std::move(settings);
  }
  Settings& settings = request.settings;
  settings.max_replicates = std::max(settings.replicates, settings.max_replicates);
  settings.max_run_time_s = std::max(settings.max_run_time_s, settings.min_run_time_s);
  settings.noise_floor = settings.noise_floor && settings.counts;
  if (Status ok = check_settings(settings); !ok) measure.refuse(ok.error());
}

void read_tools(ObjectReader& measure, MeasureRequest& request) {
  if (!measure.has("tools")) return;
  constexpr auto kKeys = std::to_array<std::string_view>({"python", "cxx", "env_command"});
  ObjectReader reader(measure.value("tools"), measure.place("tools"), kKeys);
  request.tools = {
      .cxx = reader.text("cxx"), .python = reader.text("python"), .env_command = reader.text("env_command")};
  if (Status ok = reader.status(); !ok) measure.refuse(ok.error());
}

void read_caller(ObjectReader& measure, MeasureRequest& request) {
  request.caller.working_folder = measure.absolute_path("working_folder");
  request.caller.command = measure.texts("command");
  const json::Value& environment = measure.value("environment");
  if (environment.object() == nullptr) return measure.refuse("environment", "must be an object of names and values");
  for (const auto& [name, value] : *environment.object()) {
    if (value.text() == nullptr) return measure.refuse("environment." + name, "must be a text");
    if (name.empty() || name.contains('=') || name.contains('\0') || value.text()->contains('\0'))
      return measure.refuse(
          "environment", "has a name or a value that no environment can have",
          fmt::format("look at '{}': a name is not empty and has no '=', and neither has a zero byte", name));
    request.caller.environment.emplace_back(name, *value.text());
  }
  std::ranges::sort(request.caller.environment);  // as of any other caller
}

void read_source(ObjectReader& measure, MeasureRequest& request) {
  if (!measure.has("source")) return;
  constexpr auto kKeys = std::to_array<std::string_view>({"measured", "folder", "commit"});
  ObjectReader reader(measure.value("source"), measure.place("source"), kKeys);
  if (reader.has("measured")) request.source.measured = reader.absolute_path("measured");
  if (reader.has("folder")) request.source.folder = reader.absolute_path("folder");
  request.source.commit = reader.text("commit");
  if (Status ok = reader.status(); !ok) measure.refuse(ok.error());
}

void read_journal(ObjectReader& measure, MeasureRequest& request) {
  if (!measure.has("journal")) return;
  constexpr auto kKeys = std::to_array<std::string_view>({"path", "resume"});
  ObjectReader reader(measure.value("journal"), measure.place("journal"), kKeys);
  request.journal = JournalRequest{reader.absolute_path("path"), reader.flag("resume", false)};
  if (Status ok = reader.status(); !ok) measure.refuse(ok.error());
}

void read_profiles(ObjectReader& measure, MeasureRequest& request) {
  const json::Value& profiles = measure.value("profiles");
  if (profiles.is_null() || profiles == false) return;
  if (profiles == true) {
    request.keeps_profiles = true;
    return;
  }
  std::vector<std::string_view> keys = {"folder", "name"};
  for (const KeptProbe* probe : probes::table) {
    if (!probe->field.empty()) keys.push_back(probe->field);
  }
  keys.emplace_back("sources");
  ObjectReader reader(profiles, measure.place("profiles"), keys);
  request.profiles = ProfileRequest{.folder = reader.absolute_path("folder"), .name = reader.required_text("name")};
  for (const KeptProbe* probe : probes::table) {
    if (probe->field.empty()) continue;
    request.profiles->probes.set(*probe, reader.flag(probe->field, probe->asked == KeptProbe::Asked::with_profiles));
  }
  request.profiles->sources = reader.flag("sources", true);
  if (Status ok = reader.status(); !ok) measure.refuse(ok.error());
}

Result<Request> read_measure(const json::Value& object) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"request", "id", "suite", "select", "settings", "tools", "environment",
                                       "working_folder", "command", "cores", "source", "journal", "profiles"});
  ObjectReader reader(object, "measure", kKeys);
  MeasureRequest request;
  read_suite(reader, request);
  read_selection(reader, request);
  read_settings(reader, request);
  read_tools(reader, request);
  read_caller(reader, request);
  read_source(reader, request);
  read_journal(reader, request);
  read_profiles(reader, request);
  request.cores = reader.text("cores");
  if (const auto cores = parse_cpu_list(request.cores); !request.cores.empty() && !cores)
    reader.refuse("cores", cores.error().message, cores.error().mend);
  return whole_request(reader, std::move(request));
}

Result<Request> read_profile_of(const json::Value& object) {
  constexpr auto kKeys = std::to_array<std::string_view>({"request", "id", "of", "case", "callgrind"});
  ObjectReader reader(object, "profile", kKeys);
  ProfileOfRequest request{
      .of = read_of(reader), .case_id = reader.required_text("case"), .callgrind = reader.flag("callgrind", false)};
  return whole_request(reader, std::move(request));
}

Result<Request> read_cancel(const json::Value& object) {
  constexpr auto kKeys = std::to_array<std::string_view>({"request", "id", "of"});
  ObjectReader reader(object, "cancel", kKeys);
  CancelRequest request{.of = read_of(reader)};
  return whole_request(reader, std::move(request));
}

template <typename T>
Result<Request> read_bare(const json::Value& object) {
  constexpr auto kKeys = std::to_array<std::string_view>({"request", "id"});
  return whole_request(ObjectReader(object, object["request"].text_or(""), kKeys), T{});
}

struct Kind {
  std::string_view name;
  Result<Request> (*read)(const json::Value&);
};

constexpr auto kKinds = std::to_array<Kind>({{"hello", read_hello},
                                             {"measure", read_measure},
                                             {"profile", read_profile_of},
                                             {"cancel", read_cancel},
                                             {"status", read_bare<StatusRequest>},
                                             {"shutdown", read_bare<ShutdownRequest>}});

Result<Request> read_request(const json::Value& object) {
  std::vector<std::string_view> names;
  names.reserve(kKinds.size());
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  const std::string mend = fmt::format("there are {}", fmt::join(names, ", "));
  if (object.object() == nullptr) return fail(ErrorKind::input, "a request is an object", "request", mend);
  const std::string* name = object["request"].text();
  if (name == nullptr) return fail(ErrorKind::input, "the request does not say what it is", "request", mend);
  if (!is_id(object["id"]))
    return fail(ErrorKind::input, "a request needs an id, a text or a whole number", *name + ".id");
  const auto kind = std::ranges::find(kKinds, *name, &Kind::name);
  if (kind == kKinds.end()) return fail(ErrorKind::input, fmt::format("unknown request '{}'", *name), "request", mend);
  return kind->read(object);
}

}  // namespace

ParsedRequest parse_request(std::string_view line) {
  const auto object = json::parse(line);
  if (!object) {
    return {{}, fail(ErrorKind::input, object.error().message, {}, "write one document to a line")};
  }
  const json::Value& id = (*object)["id"];
  return {is_id(id) ? id : json::Value(), read_request(*object)};
}

std::optional<std::uint64_t> passed_bytes(std::string_view line) {
  // A document that only happens to have such a key is not it.
  constexpr std::size_t kLongest = 64;
  if (line.size() > kLongest || !line.contains("\"passed\"")) return std::nullopt;
  const auto object = json::parse(line);
  if (!object || object->size() != 1 || (*object)["passed"].whole() == nullptr) return std::nullopt;
  return *(*object)["passed"].whole();
}

}  // namespace tally::serve
