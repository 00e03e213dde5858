/// The state of graphics cards, as nvidia-smi prints it: clocks, power, temperature, and what slows a card down.
///
/// Owns: which fields are requested, how they are read, and which reasons are throttling. Bits and names are NVML's
/// (nvmlClocksEventReasons): an idle card, clocks that somebody has set and boost in step with other cards are no
/// throttling. Older drivers lack the counters of the time that each reason was active. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

/// At one moment. What the card does not report is empty.
struct CardState {
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> power_w;
  std::optional<double> power_limit_w;
  std::optional<double> temperature_c;
  std::vector<std::string> slowed_by;  ///< "sw_power_cap", …: what slows it down at that moment.
  friend bool operator==(const CardState&, const CardState&) = default;
};

struct Card {
  std::string uuid;  ///< "GPU-…", or its number where it reports none.
  std::string name;
  std::string driver;
  std::optional<std::uint32_t> number = {};  ///< In a process that finds those that are visible; empty: not known.
  CardState state;
  /// How long each reason has slowed it down since the driver was loaded, in seconds; empty: no such counters.
  std::map<std::string, double> slowed_s;
  friend bool operator==(const Card&, const Card&) = default;
};

/// What was seen of a card before and after a case's times were taken.
struct CardWatch {
  std::string uuid;
  std::optional<std::uint32_t> number = {};  ///< As the case's process has it; empty: not known.
  CardState before;
  CardState after;
  std::optional<std::map<std::string, double>> slowed_s;  ///< In between, by the card's own counters.
  friend bool operator==(const CardWatch&, const CardWatch&) = default;
};

/// The fields to request, of newer drivers first: one that a driver does not know makes it refuse all.
std::vector<std::string> card_queries();

/// Of `--query-gpu=` one of card_queries() `--format=csv,noheader,nounits`, in the order of the cards. Lines that are
/// no cards are left out.
std::vector<Card> parse_cards(std::string_view text);

/// Of the same card.
CardWatch watched(const Card& before, const Card& after);

/// Each that was read both times, in the order before.
std::vector<CardWatch> watched(const std::vector<Card>& before, const std::vector<Card>& after);

/// Of two turns of a case, the first one first.
CardWatch pooled(const CardWatch& first, const CardWatch& second);
/// Of all cards, in the order of the first turn's; one that was read in one turn alone is as it was then.
std::vector<CardWatch> pooled(std::vector<CardWatch> first, const std::vector<CardWatch>& second);

/// Those that a process has used, by its numbers of them. All, where the number of one is not known, or where there is
/// none of a number.
std::vector<CardWatch> used_cards(std::vector<CardWatch> cards, const std::vector<std::uint32_t>& numbers);

/// "sw_power_cap for 0.35 s": what has slowed the card down; empty where nothing has.
std::string describe_slowdown(const CardWatch& watch);
/// "the card was slowed down by …", or which of them were; empty where nothing has slowed down any.
std::string describe_slowdown(const std::vector<CardWatch>& watches);

/// "NVIDIA H200, driver 580.159.04: 1980 MHz, 85 of 700 W, 34 °C".
std::string describe(const Card& card);

/// A process that has a context on a card.
struct CardUser {
  int pid = 0;
  std::string name;
  std::string uuid;  ///< Of the card.
  friend bool operator==(const CardUser&, const CardUser&) = default;
};

/// Of `--query-compute-apps=pid,gpu_uuid,process_name --format=csv,noheader,nounits`.
std::vector<CardUser> parse_card_users(std::string_view text);

/// Of these cards, in the order of their bus, those that CUDA_VISIBLE_DEVICES lets a process use, its first one first.
/// `visible` is its value; nothing: it is not set. CUDA numbers cards in the order of their bus where it is to
/// (`in_bus_order`), or where they are named; else its order of several is its own, and the numbers are not known.
std::vector<Card> visible_cards(const std::vector<Card>& cards, std::optional<std::string_view> visible,
                                bool in_bus_order);

}  // namespace tally
