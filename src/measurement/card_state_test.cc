#include "measurement/card_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// In the form that drivers print: with counters, without, and of a card that reports neither power's limit nor the
/// clock of its memory. Put together from outputs of an H200, an A100 and a GB10.
constexpr std::string_view kNewer =
    "GPU-01234567-89ab-cdef-0123-456789abcdef, NVIDIA H200, 580.159.04, 1980, 3201, 118.36, 700.00, 34, "
    "0x0000000000000000, 6869275397, 0, 0, 0\n";
constexpr std::string_view kOlder =
    "GPU-a, NVIDIA A100-SXM4-40GB, 535.104.05, 1275, 1215, 400.00, 400.00, 70, 0x0000000000000004\n";
constexpr std::string_view kUnsaid =
    "GPU-b, NVIDIA GB10, 580.95.05, 2229, [N/A], 13.00, [N/A], 57, 0x0000000000000001, [N/A], [N/A], [N/A], [N/A]\n";

TEST(CardState, WhatACardReportsIsRead) {
  const std::vector<Card> cards = parse_cards(kNewer);
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_EQ(cards[0].uuid, "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(cards[0].name, "NVIDIA H200");
  EXPECT_EQ(cards[0].driver, "580.159.04");
  EXPECT_EQ(cards[0].state, (CardState{.sm_mhz = 1980,
                                       .memory_mhz = 3201,
                                       .power_w = 118.36,
                                       .power_limit_w = 700,
                                       .temperature_c = 34,
                                       .slowed_by = {}}));
  EXPECT_NEAR(cards[0].slowed_s.at("sw_power_cap"), 6869.275397, 1e-9);
  EXPECT_THAT(cards[0].slowed_s, testing::SizeIs(4));
}

TEST(CardState, WhatItDoesNotReportIsEmpty) {
  const std::vector<Card> cards = parse_cards(kUnsaid);
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_FALSE(cards[0].state.memory_mhz || cards[0].state.power_limit_w);
  EXPECT_EQ(cards[0].state.power_w, 13);
  EXPECT_THAT(cards[0].slowed_s, IsEmpty());
}

TEST(CardState, AnIdleCardAndClocksThatSomebodyHasSetAreNoThrottling) {
  for (const auto& [bits, names] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"0x0000000000000000", {}},
           {"0x0000000000000001", {}},
           {"0x0000000000000002", {}},
           {"0x0000000000000110", {}},
           {"0x0000000000000004", {"sw_power_cap"}},
           {"0x0000000000000048", {"hw_slowdown", "hw_thermal_slowdown"}},
           {"0x00000000000000A1", {"sw_thermal_slowdown", "hw_power_brake_slowdown"}},
           {"[N/A]", {}}}) {
    const auto cards = parse_cards("GPU-a, A, 1, 1, 1, 1, 1, 1, " + bits);
    ASSERT_EQ(cards.size(), 1U) << bits;
    EXPECT_EQ(cards[0].state.slowed_by, names) << bits;
  }
}

TEST(CardState, ErrorsAreNoCards) {
  EXPECT_THAT(parse_cards(""), IsEmpty());
  EXPECT_THAT(parse_cards("Field \"clocks_event_reasons.active\" is not a valid field to query.\n"), IsEmpty());
  EXPECT_THAT(parse_cards("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"),
              IsEmpty());
}

TEST(CardState, CountersSayWhatSlowedACardDownInBetween) {
  Card before = parse_cards(kNewer).front();
  Card after = before;
  after.slowed_s["sw_power_cap"] += 0.3517;
  after.slowed_s["sw_thermal_slowdown"] += 1e-4;
  const CardWatch watch = watched(before, after);
  ASSERT_TRUE(watch.slowed_s);
  EXPECT_THAT(*watch.slowed_s, ElementsAre(Pair("sw_power_cap", testing::DoubleNear(0.3517, 1e-9)),
                                           Pair("sw_thermal_slowdown", testing::DoubleNear(1e-4, 1e-9))));
  EXPECT_EQ(describe_slowdown(watch), "sw_power_cap for 0.352 s") << "a tenth of a millisecond is none";
  // What is active before and after says nothing where there are counters.
  before.state.slowed_by = {"sw_power_cap"};
  EXPECT_EQ(describe_slowdown(watched(before, before)), "");
}

TEST(CardState, WithoutCountersReasonsBeforeAndAfterDo) {
  const Card slow = parse_cards(kOlder).front();
  Card fine = slow;
  fine.state.slowed_by.clear();
  EXPECT_EQ(describe_slowdown(watched(fine, slow)), "sw_power_cap");
  EXPECT_EQ(describe_slowdown(watched(slow, slow)), "sw_power_cap");
  EXPECT_EQ(describe_slowdown(watched(fine, fine)), "");
}

TEST(CardState, TurnsAddUp) {
  const CardWatch first{.uuid = "a", .before = {.sm_mhz = 1}, .after = {.sm_mhz = 2}, .slowed_s = {{{"x", 1}}}};
  const CardWatch second{.uuid = "a", .before = {.sm_mhz = 3}, .after = {.sm_mhz = 4}, .slowed_s = {{{"x", 2}}}};
  const CardWatch both = pooled(first, second);
  EXPECT_EQ(both.before.sm_mhz, 1);
  EXPECT_EQ(both.after.sm_mhz, 4);
  EXPECT_THAT(*both.slowed_s, ElementsAre(Pair("x", 3)));
}

TEST(CardState, ACardHasALine) {
  EXPECT_EQ(describe(parse_cards(kNewer).front()), "NVIDIA H200, driver 580.159.04: 1980 MHz, 118 of 700 W, 34 °C");
  EXPECT_EQ(describe(parse_cards(kOlder).front()),
            "NVIDIA A100-SXM4-40GB, driver 535.104.05: 1275 MHz, 400 of 400 W, 70 °C, slowed down by sw_power_cap");
}

TEST(CardState, ProcessesThatUseACardAreRead) {
  EXPECT_THAT(parse_card_users("4711, GPU-a, /usr/bin/python3\n4712, GPU-b, [Not Found]\n"),
              ElementsAre(CardUser{4711, "/usr/bin/python3", "GPU-a"}, CardUser{4712, "[Not Found]", "GPU-b"}));
  EXPECT_THAT(parse_card_users("[N/A], GPU-a, x\n\nno such query\n"), IsEmpty());
}

TEST(CardState, CardsAreChosenAsCudaChoosesThem) {
  const std::vector<Card> cards = {{.uuid = "GPU-aa"}, {.uuid = "GPU-bb"}, {.uuid = "GPU-bc"}};
  const auto chosen = [&](std::optional<std::string_view> visible) {
    std::vector<std::string> uuids;
    for (const Card& card : visible_cards(cards, visible, false)) uuids.push_back(card.uuid);
    return uuids;
  };
  EXPECT_THAT(chosen({}), ElementsAre("GPU-aa", "GPU-bb", "GPU-bc"));
  EXPECT_THAT(chosen("2,0"), ElementsAre("GPU-bc", "GPU-aa"));
  EXPECT_THAT(chosen("GPU-bb, 0"), ElementsAre("GPU-bb", "GPU-aa"));
  EXPECT_THAT(chosen("1,7,0"), ElementsAre("GPU-bb"));
  EXPECT_THAT(chosen("-1"), IsEmpty());
  EXPECT_THAT(chosen(""), IsEmpty());
}

/// CUDA's own order of several cards is not stated anywhere.
TEST(CardState, ACardsNumberIsKnownWhereTheOrderIs) {
  const std::vector<Card> cards = {{.uuid = "GPU-aa"}, {.uuid = "GPU-bb"}};
  using Numbers = std::vector<std::optional<std::uint32_t>>;
  const auto numbers = [](const std::vector<Card>& of, std::optional<std::string_view> visible, bool in_bus_order) {
    Numbers found;
    for (const Card& card : visible_cards(of, visible, in_bus_order)) found.push_back(card.number);
    return found;
  };
  EXPECT_EQ(numbers(cards, {}, false), (Numbers{std::nullopt, std::nullopt}));
  EXPECT_EQ(numbers(cards, {}, true), (Numbers{0, 1}));
  EXPECT_EQ(numbers(cards, "1,0", false), (Numbers{std::nullopt, std::nullopt}));
  EXPECT_EQ(numbers(cards, "1,0", true), (Numbers{0, 1}));
  EXPECT_EQ(numbers(cards, "GPU-bb,GPU-aa", false), (Numbers{0, 1}));
  EXPECT_EQ(numbers(cards, "GPU-bb,0", false), (Numbers{std::nullopt, std::nullopt}));
  EXPECT_EQ(numbers({cards[0]}, {}, false), (Numbers{0}));
}

TEST(CardState, OfSeveralCardsThoseStandThatWereUsed) {
  const std::vector<CardWatch> cards = {{.uuid = "a", .number = 0}, {.uuid = "b", .number = 1}};
  const auto used = [](const std::vector<CardWatch>& of, const std::vector<std::uint32_t>& numbers) {
    std::vector<std::string> uuids;
    for (const CardWatch& watch : used_cards(of, numbers)) uuids.push_back(watch.uuid);
    return uuids;
  };
  EXPECT_THAT(used(cards, {1}), ElementsAre("b"));
  EXPECT_THAT(used(cards, {0, 1}), ElementsAre("a", "b"));
  EXPECT_THAT(used(cards, {}), ElementsAre("a", "b")) << "nothing is known";
  EXPECT_THAT(used(cards, {1, 2}), ElementsAre("a", "b")) << "there is no such card";
  EXPECT_THAT(used({{.uuid = "a"}, {.uuid = "b"}}, {1}), ElementsAre("a", "b")) << "which one that is, is not known";
}

TEST(CardState, EachCardIsFollowedByItsName) {
  const Card a{.uuid = "a", .state = {.sm_mhz = 1}};
  const Card b{.uuid = "b", .state = {.sm_mhz = 2}};
  const std::vector<CardWatch> both = watched({a, b}, {b, a});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].after.sm_mhz, 2);
  EXPECT_EQ(watched({a, b}, {b}).size(), 1U) << "the other one was not read again";
  const auto one = [](const char* uuid, double slowed) {
    return CardWatch{.uuid = uuid, .slowed_s = {{{"sw_power_cap", slowed}}}};
  };
  const std::vector<CardWatch> all = pooled({one("a", 0), one("b", 1)}, {one("b", 2), one("c", 3)});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(describe_slowdown(all),
            "the card b was slowed down while its times were taken: sw_power_cap for 3 s; "
            "the card c was slowed down while its times were taken: sw_power_cap for 3 s");
  EXPECT_EQ(describe_slowdown(std::vector{all[1]}),
            "the card was slowed down while its times were taken: sw_power_cap for 3 s");
  EXPECT_EQ(describe_slowdown(std::vector{all[0]}), "");
}

}  // namespace
}  // namespace tally
