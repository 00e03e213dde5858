#include "json/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace tally::json {
namespace {

using testing::ElementsAre;

bool accepts(std::string_view text) {
  Scanner scanner(text);
  return scanner.value() && scanner.is_at_end();
}

TEST(Scan, MembersAndElementsAreSteppedThrough) {
  Scanner scanner(R"( {"a" : [1, "x,]" , {}], "b\"c":{"d":null} } )");
  ASSERT_TRUE(scanner.enter('{'));
  std::string_view key;
  ASSERT_TRUE(scanner.next_member(key));
  EXPECT_EQ(key, "a");
  ASSERT_TRUE(scanner.enter('['));
  std::vector<std::string> elements;
  while (scanner.next_element()) elements.emplace_back(*scanner.value());
  EXPECT_THAT(elements, ElementsAre("1", "\"x,]\"", "{}"));
  ASSERT_TRUE(scanner.next_member(key));
  EXPECT_EQ(key, "b\\\"c");
  EXPECT_EQ(*scanner.value(), R"({"d":null})");
  EXPECT_FALSE(scanner.next_member(key));
  EXPECT_TRUE(scanner.is_at_end());
}

TEST(Scan, WhatIsNoJsonEndsIt) {
  for (const char* text : {"",        "{",           "[1,]",        "[,1]",
                           "{\"a\"}", "{\"a\":}",    "{a:1}",       "{\"a\":1,}",
                           "01",      "1.",          ".5",          "-",
                           "1e",      "+1",          "tru",         "nul",
                           "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0020\"",
                           "\"a",     "\"\t\"",      "\"\x80\"",    "1e999",
                           "-1e999",  "[1 2]",       "1 2",         "{\"a\":1 \"b\":2}",
                           "NaN"})
    EXPECT_FALSE(accepts(text)) << text;
  EXPECT_FALSE(accepts(std::string(1000, '[') + std::string(1000, ']'))) << "nobody nests so deep on purpose";
  EXPECT_FALSE(accepts(std::string(400, '9')));
}

/// What it takes is what the library takes: of texts that are nearly JSON.
TEST(Scan, TakesWhatTheLibraryTakes) {
  const std::string model =
      R"({"id":"a\u00e4\ud83d\ude00 [cpp]","n":-0.5e-12,"list":[0,10,1E+2,true,false,null,"äö€😀\\\"",{}],"o":{"k":[[]]}})";
  ASSERT_TRUE(accepts(model));
  const std::string letters = "{}[]\",:.eE+-0123456789\\utfn aA\x80\xc3\xa4\x1f";
  std::mt19937 random(18);
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = model;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t place = random() % text.size();
      const char letter = letters[random() % letters.size()];
      if (random() % 3 == 0) {
        text.erase(place, 1);
      } else if (random() % 2 == 0) {
        text.insert(place, 1, letter);
      } else {
        text[place] = letter;
      }
    }
    const bool library = nlohmann::json::accept(text);
    taken += library;
    ASSERT_EQ(accepts(text), library) << text;
  }
  EXPECT_GT(taken, 1000) << "or nothing is tried";
}

}  // namespace
}  // namespace tally::json
