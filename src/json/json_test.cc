#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "json/text.h"

namespace tally::json {
namespace {

using testing::HasSubstr;
using Library = nlohmann::ordered_json;

TEST(Json, ValuesAreWhatTheyWereMadeOf) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(nullptr).is_null());
  EXPECT_TRUE(Value(std::optional<int>()).is_null());
  EXPECT_EQ(Value(std::optional<int>(3)), Value(3));
  EXPECT_EQ(*Value(true).flag(), true);
  EXPECT_EQ(Value(true).whole(), nullptr);
  EXPECT_EQ(*Value(7).whole(), 7U);
  EXPECT_EQ(Value(7), Value(std::uint64_t{7}));
  EXPECT_EQ(Value(-7).whole(), nullptr);
  EXPECT_EQ(Value(-7).number(), -7.0);
  EXPECT_NE(Value(7), Value(7.0));
  EXPECT_EQ(*Value("text").text(), "text");
  EXPECT_EQ(Value(std::vector<std::string>{"a", "b"}), Value(Array{"a", "b"}));
  EXPECT_EQ(Value(std::map<std::string, int>{{"a", 1}}), Value(Object{{"a", 1}}));
}

TEST(Json, WhatIsNotThereIsNull) {
  const Value value = Object{{"list", Array{1, 2}}, {"text", "x"}};
  EXPECT_EQ(value["list"][1], Value(2));
  EXPECT_TRUE(value["list"][2].is_null());
  EXPECT_TRUE(value["list"]["key"].is_null());
  EXPECT_TRUE(value["text"][std::size_t{0}].is_null());
  EXPECT_TRUE(value["none"]["deeper"].is_null());
  EXPECT_FALSE(value.has("none"));
  EXPECT_EQ(value["none"].text_or("y"), "y");
  EXPECT_EQ(value["text"].text_or("y"), "x");
}

TEST(Json, ObjectsKeepTheirOrder) {
  Object object = {{"z", 1}, {"a", 2}};
  object["m"] = 3;
  object["z"] = 4;
  object.update({{"a", 5}, {"b", 6}});
  object.erase("m");
  EXPECT_EQ(to_text(object), R"({"z":4,"a":5,"b":6})");
}

/// Records, pages and traces of earlier versions were written by the library: every byte has to be the same.
TEST(Json, IsWrittenAsTheLibraryWritesIt) {
  const std::vector<double> numbers = {0,
                                       -0.0,
                                       1,
                                       0.1,
                                       1e22,
                                       1e21,
                                       1e-7,
                                       123456789.125,
                                       5e-324,
                                       1.7976931348623157e308,
                                       1 / 3.0,
                                       100.0,
                                       1e15,
                                       1e16,
                                       1e17,
                                       3.5e-5,
                                       std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};
  const std::vector<std::string> texts = {"",
                                          "plain",
                                          "\"quoted\\ \b\f\n\r\t/",
                                          std::string("\0\x1f\x7f", 3),
                                          "äöü €",
                                          "\xf0\x9f\x98\x80",
                                          "\xff",
                                          "a\xe2\x82z",
                                          "\xe2\x82",
                                          "\xc0\x80",
                                          "\xed\xa0\x80",
                                          "\xf4\x90\x80\x80"};
  const Value value = Object{
      {"numbers", numbers},
      {"texts", texts},
      {"none", nullptr},
      {"flags", Array{true, false}},
      {"whole", Array{0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()}},
      {"empty", Object{{"array", Array()}, {"object", Object()}}},
      {"k\n\"", 1}};
  const Library library = {
      {"numbers", numbers},
      {"texts", texts},
      {"none", nullptr},
      {"flags", {true, false}},
      {"whole", {0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()}},
      {"empty", {{"array", Library::array()}, {"object", Library::object()}}},
      {"k\n\"", 1}};
  for (const int indentation : {-1, 1, 2}) {
    EXPECT_EQ(to_text(value, indentation), library.dump(indentation, ' ', false, Library::error_handler_t::replace));
  }
}

TEST(Json, WhatIsWrittenReadsBack) {
  const Value value = Object{{"a", Array{1, -2, 2.5, "x", true, nullptr, Object{{"b", Array()}}}}};
  for (const int indentation : {-1, 2}) {
    const auto read = parse(to_text(value, indentation));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, value);
  }
  EXPECT_EQ(*parse(R"({"a": 1, "b": 2, "a": 3})"), Value(Object{{"a", 3}, {"b", 2}}));
  EXPECT_EQ(*parse(" 18446744073709551616 "), Value(18446744073709551616.0));
}

TEST(Json, WhatIsNotJsonIsRefused) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "nul", "1 2", "\"\xff\"", "[1e999]", "'a'"}) {
    const auto read = parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::input);
  }
  EXPECT_THAT(parse("[1,\n x]").error().message, HasSubstr("not JSON: parse error at line 2, column 2: "));
}

TEST(Json, NestingHasABound) {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_TRUE(parse(nested(kMostLevels)));
  EXPECT_EQ(parse(nested(kMostLevels + 1)).error().message, "not JSON: nested more than 200 levels deep");
  EXPECT_FALSE(parse(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace tally::json
