#include "trace/splitter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <vector>

#include "trace/json_check.h"

namespace tally::trace {
namespace {

struct Events : EventSink {
  std::vector<std::string> texts;
  std::vector<std::string> others;
  void event(const Slice& slice) override { texts.emplace_back(slice.text); }
  void foreign(std::string_view key, std::string_view text) override {
    others.push_back(std::string(key) + "=" + std::string(text));
  }
  [[nodiscard]] bool wants(std::string_view key) const override { return key == "distributedInfo"; }
};

struct Outcome {
  std::vector<std::string> texts, others;
  Damage damage;
  bool saw_events;
};

Outcome split(const std::string& text, std::size_t block, IndexBraces index = usable_index_braces().front()) {
  Events events;
  Splitter splitter(events, index);
  std::string held;
  for (std::size_t at = 0;; at += block) {
    const bool last = at >= text.size();
    if (!last) held += text.substr(at, block);
    const std::size_t done = splitter.feed(held, last);
    if (last) break;
    held.erase(0, done);
  }
  return {events.texts, events.others, splitter.damage(), splitter.saw_events()};
}

/// Splits with several block sizes and both implementations; all must agree.
Outcome split_everywhere(const std::string& text) {
  const Outcome first = split(text, 1 << 20);
  for (const std::size_t block :
       {std::size_t{1}, std::size_t{13}, std::size_t{64}, std::size_t{300}, std::size_t{4096}}) {
    for (const IndexBraces index : usable_index_braces()) {
      const Outcome other = split(text, block, index);
      EXPECT_EQ(other.texts, first.texts) << "block " << block << ": " << text;
      EXPECT_EQ(other.others, first.others);
      EXPECT_EQ(other.damage.dropped, first.damage.dropped) << "block " << block << ": " << text;
      EXPECT_EQ(other.damage.dropped_bytes, first.damage.dropped_bytes) << "block " << block << ": " << text;
      EXPECT_EQ(other.damage.truncated, first.damage.truncated);
      EXPECT_EQ(other.damage.stray_bytes, first.damage.stray_bytes);
    }
  }
  return first;
}

std::string event(int id, const std::string& name = "k") {
  return R"({"ph": "X", "name": ")" + name + R"(", "args": {"id": )" + std::to_string(id) + "}}";
}

std::string document(const std::vector<std::string>& events, const std::string& separator = ",\n  ") {
  std::string out =
      R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "distributedInfo": {"rank": 3, "x": {"y": 1}},
 "traceEvents": [)";
  for (std::size_t i = 0; i < events.size(); ++i) out += (i == 0 ? "" : separator) + events[i];
  return out + R"(], "traceName": "a.json", "metadata": {"ENV": {"PATH": "{"}}})";
}

TEST(Splitter, FindsEventsAndNothingElse) {
  const Outcome o =
      split_everywhere(document({event(1), event(2, "f<{lambda(int)#1}>"), event(3, R"(quote \" and \\)")}));
  ASSERT_EQ(o.texts.size(), 3U);
  EXPECT_EQ(o.texts[1], event(2, "f<{lambda(int)#1}>"));
  EXPECT_EQ(o.others, std::vector<std::string>{R"(distributedInfo={"rank": 3, "x": {"y": 1}})"});
  EXPECT_EQ(o.damage.dropped, 0U);
  EXPECT_FALSE(o.damage.truncated);
}

TEST(Splitter, ReadsBareArraysAndKeysAfterTheEvents) {
  EXPECT_EQ(split_everywhere("[" + event(1) + "," + event(2) + "]").texts.size(), 2U);
  const Outcome o = split_everywhere(R"({"traceEvents":[)" + event(1) + R"(],"otherData":[{"ph":"X"}],"x":"]"})");
  EXPECT_EQ(o.texts.size(), 1U);
  EXPECT_FALSE(o.damage.truncated);
}

TEST(Splitter, UnescapedQuotesLoseOnlyTheirEvent) {
  for (const char* name : {"a \" b", "\"", "a\"", "\"b", "{ \" {"}) {
    const Outcome o =
        split_everywhere(document({event(1), event(2, name), event(3), event(4, "x<{lambda()#1}>"), event(5)}));
    EXPECT_EQ(o.texts, (std::vector{event(1), event(3), event(4, "x<{lambda()#1}>"), event(5)})) << name;
    EXPECT_EQ(o.damage.dropped, 1U) << name;
  }
}

TEST(Splitter, TwoBrokenEventsInARowDoNotSwallowEachOther) {
  const Outcome o = split_everywhere(document({event(1, "a\"b"), event(2, "c\"d"), event(3)}));
  EXPECT_EQ(o.texts, std::vector{event(3)});
  EXPECT_EQ(o.damage.dropped, 2U);
}

TEST(Splitter, MissingBracesAndCutsLoseOnlyTheirEvent) {
  const std::string cut = event(2).substr(0, 20), open = event(2).substr(0, event(2).size() - 1);
  for (const std::string& broken : {cut, open, open.substr(0, open.size() - 1)}) {
    const Outcome o = split_everywhere(document({event(1), broken, event(3), event(4)}));
    ASSERT_GE(o.texts.size(), 2U) << broken;
    EXPECT_EQ(o.texts.back(), event(4)) << broken;
    EXPECT_GE(o.damage.dropped, 1U) << broken;
    EXPECT_EQ(std::ranges::count(o.texts, event(3)), 1) << broken;
  }
}

TEST(Splitter, ToleratesStrayCommasControlBytesAndBareWords) {
  const std::string odd = "{\"ph\": \"X\",, \"name\": \"a\nb\x01\xFF\xC0\", \"args\": {\"v\": N/A, \"w\": NaN,}}";
  const Outcome o = split_everywhere(document({event(1), odd, event(3)}, " ,, "));
  EXPECT_EQ(o.texts, (std::vector{event(1), odd, event(3)}));
  EXPECT_EQ(o.damage.dropped, 0U);
}

TEST(Splitter, SaysThatAFileIsTruncated) {
  const std::string whole = document({event(1), event(2), event(3)});
  const std::size_t third = whole.find(event(3));
  for (std::size_t cut = third + 1; cut < third + event(3).size(); cut += 5) {
    const Outcome o = split_everywhere(whole.substr(0, cut));
    EXPECT_EQ(o.texts.size(), 2U);
    EXPECT_TRUE(o.damage.truncated);
    EXPECT_EQ(o.damage.dropped, 1U);
  }
  EXPECT_TRUE(split_everywhere(whole.substr(0, third)).damage.truncated);
}

TEST(Splitter, FindsEventsBehindABrokenTopLevel) {
  std::string text = document({event(1), event(2)});
  text.insert(text.find("schemaVersion"), "\"");
  const Outcome o = split_everywhere(text);
  EXPECT_EQ(o.texts.size(), 2U);
  EXPECT_GE(o.damage.dropped, 1U);
}

TEST(Splitter, ReadsAFragmentAndEventLines) {
  EXPECT_EQ(split_everywhere("\": 1}}, " + event(1) + ",\n" + event(2)).texts.size(), 2U);
  EXPECT_EQ(split_everywhere(event(1) + "\n" + event(2) + "\n").texts.size(), 2U);
}

TEST(Splitter, BoundsNestingAndGarbage) {
  std::string deep = R"({"ph": "X", "args": )";
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  const Outcome o = split_everywhere(document({event(1), deep, event(3)}));
  EXPECT_GE(o.damage.dropped, 1U);
  EXPECT_EQ(o.texts.back(), event(3));
  EXPECT_TRUE(split_everywhere(std::string(10000, '{')).texts.empty());
  EXPECT_TRUE(split_everywhere(std::string(10000, '"')).texts.empty());
  EXPECT_TRUE(split_everywhere("").texts.empty());
}

TEST(JsonCheck, IsStrictAboutStructure) {
  for (const char* good : {"{}", R"({"a":1,"b":[1,{"c":"}"}],})", R"({"a":NaN,,"b":N/A})", "{\"a\\\"\":\"\n\"}"})
    EXPECT_EQ(check_object(good), Check::whole) << good;
  for (const char* part : {"{", R"({"a)", R"({"a":)", R"({"a":{"b":1})", R"({"a":[1,)"})
    EXPECT_EQ(check_object(part), Check::prefix) << part;
  for (const char* bad : {"}", "[]", R"({"a" "b"})", R"({"a":"b" c})", R"({"a":1}})", R"({1:2})", R"({"a":[1}})",
                          R"({:1})", R"({"a":"b"c":1})", R"({"a":{"b":1}{)"})
    EXPECT_EQ(check_object(bad), Check::fault) << bad;
}

}  // namespace
}  // namespace tally::trace
