#include "profile/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "json/text.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// Rows of whole numbers with their shape checked.
struct ListReader {
  const Value& json;
  std::string problem;

  std::vector<std::vector<std::uint64_t>> rows(const char* key, std::size_t width) {
    std::vector<std::vector<std::uint64_t>> result;
    const Array* const list = json[key].array();
    if (!list) return report(fmt::format("{}: must be an array", key)), result;
    for (const Value& row : *list) {
      if (!row.array() || row.size() != width) {
        report(fmt::format("{}[{}]: must be {} numbers", key, result.size(), width));
        return result;
      }
      result.push_back(numbers(row, fmt::format("{}[{}]", key, result.size())));
    }
    return result;
  }
  std::vector<std::uint64_t> numbers(const Value& list, const std::string& place) {
    std::vector<std::uint64_t> result;
    if (!list.array()) return report(place + ": must be an array"), result;
    for (const Value& value : *list.array()) {
      if (!value.whole()) return report(place + ": must be whole numbers"), result;
      result.push_back(*value.whole());
    }
    return result;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> result;
    const Array* const list = json[key].array();
    if (!list) return report(fmt::format("{}: must be an array", key)), result;
    for (const Value& value : *list) {
      if (!value.text()) return report(fmt::format("{}: must be strings", key)), result;
      result.push_back(*value.text());
    }
    return result;
  }
  std::uint32_t index(std::uint64_t value, std::size_t size, const char* what) {
    if (value >= size) report(fmt::format("{} {} does not exist", what, value));
    return static_cast<std::uint32_t>(value);
  }
  void report(std::string what) {
    if (problem.empty()) problem = std::move(what);
  }
};

Result<Value> parse(std::string_view text, const std::string& where) {
  if (auto read = json::parse(text)) return read;
  return fail(ErrorKind::input, "neither a Callgrind file nor a stored profile", where,
              "give a callgrind.out file or a profile that `tally run --profiles` kept");
}

}  // namespace

Profile compacted(const Profile& profile) {
  Profile result;
  result.events = profile.events;
  result.totals = profile.totals;
  result.summary = profile.summary;
  result.notes = profile.notes;
  result.truncated = profile.truncated;
  // Order by text, so that the order of lines in the source file does not show.
  std::vector<bool> used(profile.strings.size());
  for (const auto& function : profile.functions)
    used[function.object] = used[function.file] = used[function.name] = true;
  for (const auto& row : profile.rows) used[row.file] = true;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    if (used[i]) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t i) -> const std::string& { return profile.strings[i]; });
  std::vector<std::uint32_t> string_at(profile.strings.size());
  for (const std::uint32_t i : order) {
    string_at[i] = static_cast<std::uint32_t>(result.strings.size());
    result.strings.push_back(profile.strings[i]);
  }
  const auto sorted = [](std::size_t count, auto&& key) {
    std::vector<std::uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0U);
    std::ranges::sort(places, {}, key);
    return places;
  };
  const auto function_of = [&](std::uint32_t i) {
    const auto& f = profile.functions[i];
    return Profile::Function{string_at[f.object], string_at[f.file], string_at[f.name]};
  };
  std::vector<std::uint32_t> function_at(profile.functions.size());
  for (const std::uint32_t i : sorted(profile.functions.size(), function_of)) {
    function_at[i] = static_cast<std::uint32_t>(result.functions.size());
    result.functions.push_back(function_of(i));
  }
  const auto row_of = [&](std::uint32_t i) {
    return Profile::Row{function_at[profile.rows[i].function], string_at[profile.rows[i].file]};
  };
  std::vector<std::uint32_t> row_at(profile.rows.size());
  for (const std::uint32_t i : sorted(profile.rows.size(), row_of)) {
    row_at[i] = static_cast<std::uint32_t>(result.rows.size());
    result.rows.push_back(row_of(i));
    const auto cost = profile.row_cost(i);
    result.row_costs.insert(result.row_costs.end(), cost.begin(), cost.end());
  }
  const auto call_of = [&](std::uint32_t i) {
    const auto& call = profile.calls[i];
    return Profile::Call{row_at[call.row], function_at[call.callee], call.count};
  };
  for (const std::uint32_t i : sorted(profile.calls.size(), call_of)) {
    result.calls.push_back(call_of(i));
    const auto cost = profile.call_cost(i);
    result.call_costs.insert(result.call_costs.end(), cost.begin(), cost.end());
  }
  return result;
}

std::string to_json(const StoredProfile& stored) {
  const Profile profile = compacted(stored.profile);
  Array functions;
  for (const auto& f : profile.functions) functions.push_back(Array{f.object, f.file, f.name});
  Array rows;
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    Array row = {profile.rows[i].function, profile.rows[i].file};
    for (const std::uint64_t cost : profile.row_cost(i)) row.push_back(cost);
    rows.push_back(std::move(row));
  }
  Array calls;
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    Array call = {profile.calls[i].row, profile.calls[i].callee, profile.calls[i].count};
    for (const std::uint64_t cost : profile.call_cost(i)) call.push_back(cost);
    calls.push_back(std::move(call));
  }
  Object json{{"profile", kProfileSchema},  {"iterations", stored.iterations},
              {"events", profile.events},   {"totals", profile.totals},
              {"summary", profile.summary}, {"strings", profile.strings},
              {"notes", profile.notes},     {"truncated", profile.truncated},
              {"call_counts", true},        {"functions", std::move(functions)},
              {"rows", std::move(rows)},    {"calls", std::move(calls)}};
  if (stored.lines) json["lines"] = to_json(*stored.lines);
  return json::to_text(json) + "\n";
}

Result<StoredProfile> profile_from_json(std::string_view text, const std::string& where) {
  const Result<Value> parsed = parse(text, where);
  if (!parsed) return std::unexpected(parsed.error());
  const Value& json = *parsed;
  if (!json.has("profile")) {
    return fail(ErrorKind::input, "not a stored profile: it has no \"profile\"", where,
                "give what `tally run --profiles` kept");
  }
  if (const Value& version = json["profile"]; version != kProfileSchema) {
    return fail(ErrorKind::input,
                fmt::format("profile version {} is not known, only {} is",
                            version.number() ? json::to_text(version) : "(no number)", kProfileSchema),
                where, "measure again with this version of tally");
  }
  ListReader list{json, {}};
  StoredProfile stored;
  Profile& profile = stored.profile;
  stored.iterations = json["iterations"].whole() ? *json["iterations"].whole() : 1;
  profile.events = list.texts("events");
  const std::size_t events = profile.events.size();
  profile.totals = list.numbers(json.has("totals") ? json["totals"] : Array(), "totals");
  profile.summary = list.numbers(json.has("summary") ? json["summary"] : Array(), "summary");
  if (profile.totals.size() != events) list.report("totals: must be one number for each event");
  if (json.has("notes")) profile.notes = list.texts("notes");
  profile.truncated = json["truncated"] == true;
  profile.strings = list.texts("strings");
  const std::size_t strings = profile.strings.size();
  for (const auto& f : list.rows("functions", 3)) {
    if (!list.problem.empty()) break;
    profile.functions.push_back({list.index(f[0], strings, "string"), list.index(f[1], strings, "string"),
                                 list.index(f[2], strings, "string")});
  }
  for (const auto& row : list.rows("rows", 2 + events)) {
    if (!list.problem.empty()) break;
    profile.rows.push_back(
        {list.index(row[0], profile.functions.size(), "function"), list.index(row[1], strings, "string")});
    profile.row_costs.insert(profile.row_costs.end(), row.begin() + 2, row.end());
  }
  const bool counted = json["call_counts"] == true;
  for (const auto& call : list.rows("calls", 3 + events)) {
    if (!list.problem.empty()) break;
    profile.calls.push_back({list.index(call[0], profile.rows.size(), "row"),
                             list.index(call[1], profile.functions.size(), "function"), counted ? call[2] : 0});
    profile.call_costs.insert(profile.call_costs.end(), call.begin() + 3, call.end());
  }
  if (json.has("lines")) {
    Result<LineCosts> lines = line_costs_from_json(json["lines"]);
    if (lines) {
      stored.lines = *std::move(lines);
    } else {
      list.report(lines.error().message);
    }
  }
  if (!list.problem.empty()) {
    return fail(ErrorKind::input, list.problem, where, "the profile is damaged or was edited; measure again");
  }
  return stored;
}

namespace {

constexpr std::size_t kTellingBytes = 64;

bool is_json(std::string_view bytes) { return trim(bytes.substr(0, kTellingBytes)).starts_with('{'); }

Result<StoredProfile> of_callgrind(Result<Profile> profile, std::string where) {
  if (profile) return StoredProfile{std::move(*profile), 1};
  Error error = profile.error();
  error.where = std::move(where);
  return std::unexpected(std::move(error));
}

}  // namespace

Result<StoredProfile> read_profile(std::string_view bytes, std::string where) {
  return is_json(bytes) ? profile_from_json(bytes, where) : of_callgrind(parse_callgrind(bytes), std::move(where));
}

void StoredProfileReader::feed(std::string_view piece) {
  if (callgrind_) return callgrind_->feed(piece);
  json_ += piece;
  if (json_.size() < kTellingBytes || is_json(json_)) return;
  callgrind_.emplace().feed(json_);
  json_ = {};
}

Result<StoredProfile> StoredProfileReader::finish(std::string where) {
  return callgrind_ ? of_callgrind(callgrind_->finish(), std::move(where)) : read_profile(json_, std::move(where));
}

}  // namespace tally
