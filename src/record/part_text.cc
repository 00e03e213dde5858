#include "record/part_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "json/scan.h"
#include "record/json.h"
#include "record/json_head.h"

namespace tally {
namespace {

using json::Scanner;

/// The members of a case that are looked at, as they stand.
struct Members {
  std::vector<std::pair<std::string_view, std::string_view>> values;  ///< By their keys, sorted.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const {
    const auto found = std::ranges::lower_bound(values, key, {}, &std::pair<std::string_view, std::string_view>::first);
    return found == values.end() || found->first != key ? std::nullopt : std::optional(found->second);
  }
  /// The same, where it is not null.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const {
    const auto found = text(key);
    return found == "null" ? std::nullopt : found;
  }
};

/// Nothing where it is not JSON, or has a key twice: readers would not agree on what it says.
std::optional<Members> members_of(Scanner& scanner) {
  Members members;
  members.values.reserve(32);
  if (!scanner.enter('{')) return std::nullopt;
  for (std::string_view key; scanner.next_member(key);) {
    const auto value = scanner.value();
    if (!value || key.contains('\\')) return std::nullopt;
    members.values.emplace_back(key, *value);
  }
  std::ranges::sort(members.values);
  const auto key_of = &std::pair<std::string_view, std::string_view>::first;
  const bool twice = std::ranges::adjacent_find(members.values, {}, key_of) != members.values.end();
  return scanner.is_broken() || twice ? std::nullopt : std::optional(std::move(members));
}

/// The text that a JSON text of a string stands for.
std::optional<std::string> string_of(std::optional<std::string_view> value) {
  if (!value || !value->starts_with('"')) return std::nullopt;
  if (!value->contains('\\')) return std::string(value->substr(1, value->size() - 2));
  return nlohmann::json::parse(*value).get<std::string>();
}

bool has_element(std::optional<std::string_view> array, std::string_view element) {
  Scanner scanner(array.value_or("[]"));
  bool found = false;
  if (!scanner.enter('[')) return false;
  while (scanner.next_element()) found = scanner.value() == element || found;
  return found;
}

/// Whether an attempt ended otherwise than by an interruption.
bool has_attempt(std::optional<std::string_view> attempts) {
  Scanner scanner(attempts.value_or("[]"));
  bool found = false;
  if (!scanner.enter('[')) return false;
  while (scanner.next_element()) {
    const auto attempt = members_of(scanner);
    if (!attempt) return found;
    const auto outcome = attempt->find("outcome");
    found = found || (outcome && outcome != R"("skipped")");
  }
  return found;
}

/// What the case was measured in, by the words that name it.
std::string environment_key(const Record& head, const Members& members) {
  CaseRecord named;
  named.toolchain = string_of(members.find("toolchain")).value_or("");
  named.language = string_of(members.find("language")).value_or("");
  named.runtime = string_of(members.find("runtime")).value_or("");
  named.environment = string_of(members.find("environment"));
  const Environment* const environment = environment_of(head, named);
  for (const auto& [key, one] : head.environments) {
    if (&one == environment) return key;
  }
  return {};
}

TextSpan span_of(std::string_view part, std::string_view text) {
  return {static_cast<std::size_t>(part.data() - text.data()), part.size()};
}

/// Empty: it is in order.
std::string take_case(std::string_view text, const Members& members, const Record& head, CaseText& one) {
  const auto id = string_of(members.find("id"));
  if (!id) return "id: must be a string";
  one.id = *id;
  const std::string_view machine = members.find("machine").value_or("");
  const auto [end, code] = std::from_chars(machine.data(), machine.data() + machine.size(), one.machine);
  if (machine.empty() || code != std::errc() || end != machine.data() + machine.size())
    return "machine: must be a whole number, 0 or more";
  if (one.machine >= head.machines.size()) return fmt::format("machine: there is no machine {}", one.machine);
  one.machine_at = span_of(machine, text);
  one.environment = environment_key(head, members);
  if (members.find("environment") && one.environment.empty()) return "environment: there is none of this name";
  const auto status = string_of(members.find("status")).value_or("");
  using enum CaseStatus;
  const auto words = {ok, failed, timeout, crashed, skipped};
  if (std::ranges::none_of(words, [&](CaseStatus word) { return to_string(word) == status; }))
    return "status: must be one of ok, failed, timeout, crashed, skipped";
  one.ok = status == to_string(ok);
  one.tried = status != to_string(skipped) || has_attempt(members.find("attempts"));
  one.has_counts = members.find("counts").has_value();
  one.has_wall = members.find("wall").has_value();
  one.varies = has_element(members.find("flags"), R"("counts_vary")");
  one.profile = string_of(members.find("profile"));
  if (members.find("profile") && !one.profile) return "profile: must be a string";
  if (const auto profile = members.text("profile")) one.profile_at = span_of(*profile, text);
  one.is_placed_by_spans = one.profile_at.bytes > 0 && one.profile_at.at > one.machine_at.at &&
                           !members.text("environment") && !text.contains('\n');
  return {};
}

struct Found {
  std::string head = "{";  ///< All but the cases.
  std::vector<std::pair<std::string_view, Members>> cases;
};

std::optional<Found> find_parts_of(std::string_view text) {
  Scanner scanner(text);
  Found found;
  bool has_cases = false;
  if (!scanner.enter('{')) return std::nullopt;
  for (std::string_view key; scanner.next_member(key);) {
    if (key != "cases") {
      const auto value = scanner.value();
      if (!value) return std::nullopt;
      found.head.append("\"").append(key).append("\":").append(*value).append(",");
      continue;
    }
    if (has_cases || !scanner.enter('[')) return std::nullopt;
    has_cases = true;
    while (scanner.next_element()) {
      const char* const begin = scanner.here();
      auto members = members_of(scanner);
      if (!members) return std::nullopt;
      found.cases.emplace_back(std::string_view(begin, static_cast<std::size_t>(scanner.at() - begin)),
                               *std::move(members));
    }
  }
  if (!has_cases || !scanner.is_at_end()) return std::nullopt;
  found.head += "\"cases\":[]}";
  return found;
}

std::string quoted(const std::string& value) { return nlohmann::json(value).dump(); }

/// The value of "machine", and the member that goes with it.
std::string machine_text(const CasePlace& place) {
  std::string text = std::to_string(place.machine);
  if (place.environment) text.append(",\"environment\":").append(quoted(*place.environment));
  return text;
}

std::string profile_text(const CasePlace& place) { return place.profile ? quoted(*place.profile) : "null"; }

std::string placed_anew(std::string_view text, const CasePlace& place) {
  Scanner scanner(text);
  std::string result = "{";
  scanner.enter('{');
  for (std::string_view key; scanner.next_member(key);) {
    const std::string_view value = scanner.value().value_or("null");
    if (key == "environment") continue;
    if (result.size() > 1) result += ',';
    result.append("\"").append(key).append("\":");
    if (key == "machine") {
      result += machine_text(place);
    } else if (key == "profile") {
      result += profile_text(place);
    } else {
      result += value;
    }
  }
  result += '}';
  // Somebody laid it out otherwise.
  if (result.contains('\n')) return nlohmann::ordered_json::parse(result).dump();
  return result;
}

}  // namespace

Result<PartText> read_part(std::string_view text, const std::string& name) {
  const auto found = find_parts_of(text);
  if (!found) {
    // The reader of records knows what to say of it.
    const auto whole = record_from_json(text, name);
    if (!whole) return std::unexpected(whole.error());
    return fail(ErrorKind::input, "is damaged: a key stands there twice", name, "measure the part again");
  }
  auto head = head_from_json(found->head, name);
  if (!head) return std::unexpected(head.error());
  if (Status fine = check_part(*head, found->cases.size(), name); !fine) return std::unexpected(fine.error());
  PartText part{.name = name, .head = *std::move(head), .cases = {}};
  part.cases.reserve(found->cases.size());
  for (const auto& [own, members] : found->cases) {
    CaseText& one = part.cases.emplace_back();
    one.offset = static_cast<std::uint64_t>(own.data() - text.data());
    one.bytes = own.size();
    one.digest = digest(own);
    if (const std::string fault = take_case(own, members, part.head, one); !fault.empty()) {
      return fail(ErrorKind::input, fmt::format("cases[{}].{}", part.cases.size() - 1, fault), name,
                  "the record is damaged or was edited; measure again");
    }
  }
  return part;
}

std::string placed(std::string_view text, const CaseText& one, const CasePlace& place) {
  if (!one.is_placed_by_spans) return placed_anew(text, place);
  const std::size_t after_machine = one.machine_at.at + one.machine_at.bytes;
  std::string result(text.substr(0, one.machine_at.at));
  result += machine_text(place);
  result += text.substr(after_machine, one.profile_at.at - after_machine);
  result += profile_text(place);
  result += text.substr(one.profile_at.at + one.profile_at.bytes);
  return result;
}

}  // namespace tally
