#include "measurement/card_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace tally {

namespace {

constexpr std::string_view kFields =
    "uuid,name,driver_version,clocks.sm,clocks.mem,power.draw,power.limit,temperature.gpu";

/// Of NVML's bits, those that are throttling. gpu_idle (1), applications_clocks_setting (2), sync_boost (0x10) and
/// display_clock_setting (0x100) are not.
struct Reason {
  std::uint64_t bit = 0;
  std::string_view name;
  bool has_counter = true;
};
constexpr auto kReasons = std::to_array<Reason>({{0x04, "sw_power_cap"},
                                                 {0x08, "hw_slowdown", false},
                                                 {0x20, "sw_thermal_slowdown"},
                                                 {0x40, "hw_thermal_slowdown"},
                                                 {0x80, "hw_power_brake_slowdown"}});

constexpr double kMicrosecond = 1e-6;
constexpr double kLeastSlowdownS = 1e-3;

/// "[N/A]", "[Not Supported]" and their like are no numbers.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end()) return std::nullopt;
  return value;
}

/// Of "0x0000000000000004".
std::vector<std::string> reasons(std::string_view text) {
  std::uint64_t bits = 0;
  if (text.starts_with("0x")) std::from_chars(text.begin() + 2, text.end(), bits, 16);
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields = split(line, ',');
  for (std::string_view& field : fields) field = trim(field);
  return fields;
}

std::string counters() {
  std::string fields;
  for (const Reason& reason : kReasons) {
    if (reason.has_counter) fields += fmt::format(",clocks_event_reasons_counters.{}", reason.name);
  }
  return fields;
}

}  // namespace

std::vector<std::string> card_queries() {
  const std::string newer = fmt::format("{},clocks_event_reasons.active", kFields);
  return {newer + counters(), newer, fmt::format("{},clocks_throttle_reasons.active", kFields)};
}

std::vector<Card> parse_cards(std::string_view text) {
  constexpr std::size_t kFieldCount = 9;
  std::vector<Card> cards;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() < kFieldCount) continue;
    Card card{.uuid = std::string(fields[0]),
              .name = std::string(fields[1]),
              .driver = std::string(fields[2]),
              .number = {},
              .state = {.sm_mhz = number(fields[3]),
                        .memory_mhz = number(fields[4]),
                        .power_w = number(fields[5]),
                        .power_limit_w = number(fields[6]),
                        .temperature_c = number(fields[7]),
                        .slowed_by = reasons(fields[8])},
              .slowed_s = {}};
    if (!card.uuid.starts_with("GPU-")) card.uuid = fmt::format("{}", cards.size());
    std::size_t at = kFieldCount;
    for (const Reason& reason : kReasons) {
      if (!reason.has_counter || at == fields.size()) continue;
      if (const auto slowed = number(fields[at++])) card.slowed_s.emplace(reason.name, *slowed * kMicrosecond);
    }
    cards.push_back(std::move(card));
  }
  return cards;
}

CardWatch watched(const Card& before, const Card& after) {
  CardWatch watch{
      .uuid = after.uuid, .number = after.number, .before = before.state, .after = after.state, .slowed_s = {}};
  if (before.slowed_s.empty() || after.slowed_s.empty()) return watch;
  watch.slowed_s.emplace();
  for (const auto& [name, seconds] : after.slowed_s) {
    const auto then = before.slowed_s.find(name);
    const double slowed = then == before.slowed_s.end() ? 0 : seconds - then->second;
    if (slowed > 0) watch.slowed_s->emplace(name, slowed);
  }
  return watch;
}

std::vector<CardWatch> watched(const std::vector<Card>& before, const std::vector<Card>& after) {
  std::vector<CardWatch> watches;
  for (const Card& card : before) {
    const auto again = std::ranges::find(after, card.uuid, &Card::uuid);
    if (again != after.end()) watches.push_back(watched(card, *again));
  }
  return watches;
}

CardWatch pooled(const CardWatch& first, const CardWatch& second) {
  CardWatch both{
      .uuid = first.uuid, .number = first.number, .before = first.before, .after = second.after, .slowed_s = {}};
  if (!first.slowed_s || !second.slowed_s) return both;
  both.slowed_s = first.slowed_s;
  for (const auto& [name, seconds] : *second.slowed_s) (*both.slowed_s)[name] += seconds;
  return both;
}

std::vector<CardWatch> pooled(std::vector<CardWatch> first, const std::vector<CardWatch>& second) {
  for (const CardWatch& watch : second) {
    const auto known = std::ranges::find(first, watch.uuid, &CardWatch::uuid);
    if (known == first.end()) {
      first.push_back(watch);
    } else {
      *known = pooled(*known, watch);
    }
  }
  return first;
}

std::vector<CardWatch> used_cards(std::vector<CardWatch> cards, const std::vector<std::uint32_t>& numbers) {
  std::vector<CardWatch> used;
  for (const std::uint32_t number : numbers) {
    const auto card = std::ranges::find(cards, std::optional(number), &CardWatch::number);
    if (card == cards.end()) return cards;
    used.push_back(*card);
  }
  return used.empty() ? std::move(cards) : used;
}

std::string describe_slowdown(const CardWatch& watch) {
  std::vector<std::string> parts;
  if (watch.slowed_s) {
    for (const auto& [name, seconds] : *watch.slowed_s) {
      if (seconds >= kLeastSlowdownS) parts.push_back(fmt::format("{} for {:.3g} s", name, seconds));
    }
    return join(parts, ", ");
  }
  for (const auto* const state : {&watch.before, &watch.after}) {
    for (const std::string& name : state->slowed_by) {
      if (std::ranges::find(parts, name) == parts.end()) parts.push_back(name);
    }
  }
  return join(parts, ", ");
}

std::string describe_slowdown(const std::vector<CardWatch>& watches) {
  std::vector<std::string> parts;
  for (const CardWatch& watch : watches) {
    const std::string by = describe_slowdown(watch);
    if (by.empty()) continue;
    parts.push_back(fmt::format("the card{} was slowed down while its times were taken: {}",
                                watches.size() > 1 ? " " + watch.uuid : "", by));
  }
  return join(parts, "; ");
}

std::string describe(const Card& card) {
  const CardState& state = card.state;
  std::vector<std::string> parts;
  if (state.sm_mhz) parts.push_back(fmt::format("{:g} MHz", *state.sm_mhz));
  if (state.power_w && state.power_limit_w)
    parts.push_back(fmt::format("{:.0f} of {:.0f} W", *state.power_w, *state.power_limit_w));
  if (state.temperature_c) parts.push_back(fmt::format("{:g} °C", *state.temperature_c));
  if (!state.slowed_by.empty()) parts.push_back("slowed down by " + join(state.slowed_by, ", "));
  return fmt::format("{}, driver {}{}{}", card.name, card.driver, parts.empty() ? "" : ": ", join(parts, ", "));
}

std::vector<CardUser> parse_card_users(std::string_view text) {
  std::vector<CardUser> users;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() < 3) continue;
    const auto pid = number(fields[0]);
    if (!pid || !fields[1].starts_with("GPU-")) continue;
    users.push_back({static_cast<int>(*pid), std::string(fields[2]), std::string(fields[1])});
  }
  return users;
}

namespace {

void number(std::vector<Card>& cards) {
  for (std::uint32_t at = 0; at < cards.size(); ++at) cards[at].number = at;
}

}  // namespace

std::vector<Card> visible_cards(const std::vector<Card>& cards, std::optional<std::string_view> visible,
                                bool in_bus_order) {
  const bool is_order_known = in_bus_order || cards.size() <= 1;
  std::vector<Card> chosen;
  if (!visible) {
    chosen = cards;
    if (is_order_known) number(chosen);
    return chosen;
  }
  bool are_named = true;
  for (const std::string_view word : fields_of(*visible)) {
    const auto index = number(word);
    const auto by_name = std::ranges::find_if(
        cards, [&](const Card& card) { return word.starts_with("GPU-") && card.uuid.starts_with(word); });
    if (by_name != cards.end()) {
      chosen.push_back(*by_name);
    } else if (index && *index >= 0 && *index < static_cast<double>(cards.size())) {
      chosen.push_back(cards[static_cast<std::size_t>(*index)]);
      are_named = false;
    } else {
      break;  // CUDA takes none from the first that it does not know
    }
  }
  if (is_order_known || are_named) number(chosen);
  return chosen;
}

}  // namespace tally
