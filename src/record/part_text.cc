#include "record/part_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/contains.h"
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

/// What the case was measured in, by the words that name it.
std::string environment_key(const Record& head, const CaseRecord& named) {
  const Environment* const environment = environment_of(head, named);
  for (const auto& [key, one] : head.environments) {
    if (&one == environment) return key;
  }
  return {};
}

TextSpan span_of(std::string_view part, std::string_view text) {
  return {static_cast<std::size_t>(part.data() - text.data()), part.size()};
}

/// Numbers that stand in an array, apart from the reader of records: nearly all of a part is samples. It is JSON
/// already: nobody looks at each byte again.
Result<std::vector<double>> numbers_in(std::string_view array, const std::string& where, const std::string& place) {
  std::vector<double> numbers;
  const char* at = array.data() + 1;
  const char* const end = array.data() + array.size() - 1;
  const auto skip_blanks = [&] {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  };
  for (skip_blanks(); at != end; skip_blanks()) {
    if (!numbers.empty()) ++at;  // the comma
    skip_blanks();
    const auto [next, code] = std::from_chars(at, end, numbers.emplace_back());
    if (code != std::errc()) {
      return fail(ErrorKind::input, fmt::format("{}[{}]: must be a number", place, numbers.size() - 1), where,
                  "the record is damaged or was edited; measure again");
    }
    at = next;
  }
  return numbers;
}

/// Where the samples of its time stand in the text of a case; 0: there are none.
TextSpan samples_in(std::string_view text, const Members& members) {
  constexpr std::string_view kKey = "\"replicates_s\"";
  const auto wall = members.find("wall");
  const std::size_t key = wall ? wall->find(kKey) : std::string_view::npos;
  if (key == std::string_view::npos) return {};
  const std::size_t open = wall->find_first_not_of(" \n\r\t:", key + kKey.size());
  const bool is_once = wall->find(kKey, key + 1) == std::string_view::npos;
  // It may be no object's key, but all of a text.
  const bool is_array = is_once && open != std::string_view::npos && (*wall)[open] == '[';
  const std::size_t close = is_array ? wall->find(']', open) : std::string_view::npos;
  if (close == std::string_view::npos) return {};
  const std::string_view array = wall->substr(open, close + 1 - open);
  // With anything but numbers in it, the reader of records says what is wrong.
  for (const char other : {'"', '{'}) {
    if (array.contains(other)) return {};
  }
  return array.find('[', 1) == std::string_view::npos ? span_of(array, text) : TextSpan{};
}

/// The case, held against itself as by the reader of records.
Result<CaseRecord> checked_case(std::string_view text, const Members& members, const std::string& where,
                                const std::string& place) {
  const TextSpan samples = samples_in(text, members);
  std::string light(text.substr(0, samples.at));
  if (samples.bytes > 0) light += "[]";
  light += text.substr(samples.at + samples.bytes);
  auto record = unchecked_case_from_json(light, where, place);
  if (!record) return record;
  if (record->wall && samples.bytes > 0) {
    auto numbers = numbers_in(text.substr(samples.at, samples.bytes), where, place + ".wall.replicates_s");
    if (!numbers) return std::unexpected(numbers.error());
    record->wall->replicates_s = *std::move(numbers);
  }
  if (Status sound = check_case(*record, where, place); !sound) return std::unexpected(sound.error());
  return record;
}

Status take_case(std::string_view text, const Members& members, const Record& head, const std::string& where,
                 const std::string& place, CaseText& one) {
  const auto wrong = [&](std::string message) {
    return fail(ErrorKind::input, fmt::format("{}.{}", place, message), where,
                "the record is damaged or was edited; measure again");
  };
  auto record = checked_case(text, members, where, place);
  if (!record) return std::unexpected(record.error());
  one.id = std::move(record->id);
  one.machine = record->machine;
  if (one.machine >= head.machines.size()) return wrong(fmt::format("machine: there is no machine {}", one.machine));
  one.environment = environment_key(head, *record);
  if (record->environment && one.environment.empty()) return wrong("environment: there is none of this name");
  one.ok = record->status == CaseStatus::ok;
  one.tried = was_tried(*record);
  one.has_counts = record->counts.has_value();
  one.has_wall = record->wall.has_value();
  one.varies = contains(record->flags, "counts_vary");
  one.profile = std::move(record->profile);
  if (const auto machine = members.text("machine")) one.machine_at = span_of(*machine, text);
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
    const std::string place = fmt::format("cases[{}]", part.cases.size() - 1);
    if (Status fine = take_case(own, members, part.head, name, place, one); !fine) return std::unexpected(fine.error());
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
