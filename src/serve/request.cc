#include "serve/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "json/text.h"
#include "process/cpu_set.h"
#include "record/json.h"
#include "serve/object_reader.h"
#include "serve/request_fields.h"

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
      {"iterations", static_cast<double>(settings.iterations.value_or(1)), 1, 1e9},
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
    return fail(ErrorKind::input, fmt::format("'{}' is not the name of a variable", name),
                fmt::format("measure.settings.kept_environment[{}]", i), "give names, or patterns of names");
  }
  if (settings.entropy && *settings.entropy != "fixed" && *settings.entropy != "system")
    return fail(ErrorKind::input, fmt::format("'{}' is not one of fixed, system", *settings.entropy),
                "measure.settings.entropy");
  if (settings.time_of_day && *settings.time_of_day != "fixed" && *settings.time_of_day != "system")
    return fail(ErrorKind::input, fmt::format("'{}' is not one of fixed, system", *settings.time_of_day),
                "measure.settings.time_of_day");
  if (settings.counts || settings.wall) return {};
  return fail(ErrorKind::input, "nothing is to be measured", "measure.settings", "let counts or wall be true");
}

Status check_environment(const EnvironmentVariables& environment) {
  for (const auto& [name, value] : environment) {
    if (!name.empty() && !name.contains('=') && !name.contains('\0') && !value.contains('\0')) continue;
    return fail(ErrorKind::input, "has a name or a value that no environment can have", "measure.environment",
                fmt::format("look at '{}': a name is not empty and has no '=', and neither has a zero byte", name));
  }
  return {};
}

Status check(const MeasureRequest& request) {
  if (request.suite.text.has_value() == request.suite.document.has_value())
    return fail(ErrorKind::input, "a suite is either a text or a document", "measure.suite.text",
                "give one of the two");
  if (request.selection.last_times && !request.selection.shard)
    return fail(ErrorKind::input, "times are for parts to be dealt by, and there are none", "measure.select.last_times",
                "add a shard");
  if (Status ok = check_settings(request.settings); !ok) return ok;
  if (Status ok = check_environment(request.caller.environment); !ok) return ok;
  if (const auto cores = parse_cpu_list(request.cores); !request.cores.empty() && !cores)
    return fail(ErrorKind::input, cores.error().message, "measure.cores", cores.error().hint);
  return {};
}

Result<Request> read_measure(const json::Value& object) {
  MeasureRequest request;
  if (Status ok = read_fields(object, "measure", {"request", "id"}, request); !ok) return std::unexpected(ok.error());
  std::ranges::sort(request.caller.environment);  // as of any other caller
  if (Status ok = check(request); !ok) return std::unexpected(ok.error());
  return Request(std::move(request));
}

Result<Request> read_profile_of(const json::Value& object) {
  constexpr auto kKeys = std::to_array<std::string_view>({"request", "id", "of", "case", "callgrind"});
  ObjectReader reader(object, "profile", kKeys);
  ProfileOfRequest request{
      .of = read_of(reader), .case_id = reader.required_text("case"), .callgrind = reader.flag("callgrind", false)};
  return whole_request(reader, std::move(request));
}

/// A record, as an object of the request.
Record read_record(ObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) reader.refuse(key, "is missing");
  if (!reader.status()) return {};
  auto record = record_from_json(json::to_text(reader.value(key)), reader.place(key));
  if (!record) {
    reader.refuse(record.error());
    return {};
  }
  return *std::move(record);
}

Result<Request> read_compare(const json::Value& object) {
  constexpr auto kKeys = std::to_array<std::string_view>({"request", "id", "base", "next"});
  ObjectReader reader(object, "compare", kKeys);
  CompareRequest request{.base = read_record(reader, "base"), .next = read_record(reader, "next")};
  return whole_request(reader, std::move(request));
}

Result<Request> read_check(const json::Value& object) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"request", "id", "base", "next", "limits", "allow_uncompared"});
  ObjectReader reader(object, "check", kKeys);
  CheckRequest request{.base = read_record(reader, "base"), .next = read_record(reader, "next")};
  for (const std::string& text : reader.texts("limits")) {
    auto limit = parse_limit(text);
    if (!limit) {
      reader.refuse("limits", limit.error().message, limit.error().hint);
      break;
    }
    request.limits.push_back(*std::move(limit));
  }
  if (request.limits.empty()) reader.refuse("limits", "is missing", "such as [\"instructions=+1%\"]");
  request.allow_uncompared = reader.flag("allow_uncompared", false);
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
                                             {"compare", read_compare},
                                             {"check", read_check},
                                             {"cancel", read_cancel},
                                             {"status", read_bare<StatusRequest>},
                                             {"shutdown", read_bare<ShutdownRequest>}});

Result<Request> read_request(const json::Value& object) {
  std::vector<std::string_view> names;
  names.reserve(kKinds.size());
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  const std::string hint = fmt::format("there are {}", fmt::join(names, ", "));
  if (object.object() == nullptr) return fail(ErrorKind::input, "a request is an object", "request", hint);
  const std::string* name = object["request"].text();
  if (name == nullptr) return fail(ErrorKind::input, "the request does not say what it is", "request", hint);
  if (!is_id(object["id"]))
    return fail(ErrorKind::input, "a request needs an id, a text or a whole number", *name + ".id");
  const auto kind = std::ranges::find(kKinds, *name, &Kind::name);
  if (kind == kKinds.end()) return fail(ErrorKind::input, fmt::format("unknown request '{}'", *name), "request", hint);
  return kind->read(object);
}

/// A file's path as the caller means it.
std::string absolute(const std::string& path, const Caller& caller) {
  if (path.empty()) return path;
  return (std::filesystem::path(caller.working_folder) / path).lexically_normal().string();
}

}  // namespace

MeasureRequest measure_request(const RunRequest& run, SuiteText suite, Selection selection, std::string cores) {
  const auto& [plan, caller, settings, tools, suite_path, source, journal, profiles, notes_inputs, reuse,
               keeps_samples] = run;
  // The server makes the plan of the suite, keeps samples where it likes, and takes no counts over.
  std::ignore = std::tie(plan, suite_path, reuse, keeps_samples);
  MeasureRequest request{.suite = std::move(suite),
                         .selection = std::move(selection),
                         .settings = settings,
                         .tools = tools,
                         .caller = caller,
                         .source = source,
                         .cores = std::move(cores),
                         .journal = journal,
                         .profiles = profiles,
                         .notes_inputs = notes_inputs};
  request.source.measured = absolute(source.measured, caller);
  request.source.folder = absolute(source.folder, caller);
  if (request.journal) request.journal->path = absolute(journal->path, caller);
  if (request.profiles) request.profiles->folder = absolute(profiles->folder, caller);
  return request;
}

RunRequest run_request(const MeasureRequest& request) {
  return {.caller = request.caller,
          .settings = request.settings,
          .tools = request.tools,
          .suite = request.suite.path,
          .source = request.source,
          .journal = request.journal,
          .profiles = request.profiles,
          .notes_inputs = request.notes_inputs};
}

json::Object members_of(const MeasureRequest& request) { return object_of(request); }

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
