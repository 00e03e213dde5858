#include "tally/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>

namespace {

using tally::detail::result_text;
using testing::HasSubstr;
using testing::StartsWith;

struct Sent {
  std::string text;
  std::string refusal;
};
Sent g_sent;

template <typename Fill>
Sent sent(const Fill& fill) {
  tally_regions regions{};
  regions.result = [](tally_regions*, const char* text, const char* refusal) { g_sent = {text, refusal}; };
  result_text text;
  fill(text);
  text.send(&regions);
  return g_sent;
}

template <typename T>
Sent of(const T& value) {
  return sent([&](result_text& text) { text.named("x", value); });
}

/// What a tensor library's handle looks like to the header.
struct Values {
  std::vector<long> list;
};
std::ostream& operator<<(std::ostream& out, const Values& values) {
  for (const long value : values.list) out << value << ' ';
  return out;
}
struct Tensor {
  std::vector<double> values;
  std::shared_ptr<Tensor> gradient;
  [[nodiscard]] bool defined() const { return !values.empty(); }
  [[nodiscard]] Values sizes() const { return {{static_cast<long>(values.size())}}; }
  [[nodiscard]] std::string scalar_type() const { return "Double"; }
  [[nodiscard]] const Tensor& contiguous() const { return *this; }
  [[nodiscard]] const Tensor& detach() const { return *this; }
  [[nodiscard]] const Tensor& cpu() const { return *this; }
  [[nodiscard]] const Tensor& flatten() const { return *this; }
  [[nodiscard]] bool is_floating_point() const { return true; }
  [[nodiscard]] bool is_leaf() const { return true; }
  [[nodiscard]] Tensor grad() const { return gradient ? *gradient : Tensor{}; }
  [[nodiscard]] long numel() const { return static_cast<long>(values.size()); }
  [[nodiscard]] const void* data_ptr() const { return values.data(); }
  [[nodiscard]] std::size_t nbytes() const { return values.size() * sizeof(double); }
  Tensor operator[](long i) const { return {{values[static_cast<std::size_t>(i)]}, nullptr}; }
  template <typename T>
  [[nodiscard]] T item() const {
    return static_cast<T>(values.front());
  }
};

struct Packed {
  std::uint32_t a, b;
};
struct Padded {
  char a;
  double b;
};
enum class Level : unsigned char { low = 3 };

TEST(ResultText, PlainValues) {
  EXPECT_EQ(of(true).text, "x = true\n");
  EXPECT_EQ(of(-7).text, "x = -7\n");
  EXPECT_EQ(of('a').text, "x = 97\n");
  EXPECT_EQ(of(Level::low).text, "x = 3\n");
  EXPECT_EQ(of(std::string("caf\"e")).text, "x = \"caf\"e\"\n");
  EXPECT_EQ(of(0.1).text, "x = 0.1 (0xc.cccccccccccdp-7)\n");
  EXPECT_NE(of(0.1).text, of(std::nextafter(0.1, 1)).text);
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()).text, of(-std::numeric_limits<double>::quiet_NaN()).text);
  EXPECT_EQ(of(0.1).refusal, "");
}

TEST(ResultText, PartsOfWholes) {
  EXPECT_EQ(of(std::vector<int>{1, 2}).text, "x = [1, 2, ]\n");
  EXPECT_EQ(of(std::vector<bool>{true, false}).text, "x = [true, false, ]\n");
  EXPECT_EQ(of(std::array<int, 2>{1, 2}).text, "x = [1, 2, ]\n");
  EXPECT_EQ(of(std::map<std::string, int>{{"a", 1}}).text, "x = [(\"a\", 1, ), ]\n");
  EXPECT_EQ(of(std::optional<int>()).text, "x = nothing\n");
  EXPECT_EQ(of(std::optional<int>(2)).text, "x = 2\n");
  EXPECT_EQ(of(std::unordered_set<int>{1, 2, 3}).text, of(std::unordered_set<int>{3, 2, 1}).text);
  EXPECT_NE(of(std::unordered_set<int>{1, 2, 3}).text, of(std::unordered_set<int>{1, 2, 4}).text);
  EXPECT_EQ(of(Packed{1, 2}).text, of(Packed{1, 2}).text);
  EXPECT_NE(of(Packed{1, 2}).text, of(Packed{1, 3}).text);
  EXPECT_EQ(of(Values{{1, 2}}).text, "x = 1 2 \n");
}

TEST(ResultText, Tensors) {
  const Sent one = of(Tensor{{1, 2.5}, nullptr});
  EXPECT_THAT(one.text, StartsWith("x = tensor Double 2  {1, 2.5, }, 16 bytes, digest "));
  EXPECT_NE(one.text, of(Tensor{{1, 2.25}, nullptr}).text);
  const Sent with = of(Tensor{{1}, std::make_shared<Tensor>(Tensor{{3}, nullptr})});
  EXPECT_THAT(with.text, HasSubstr(", gradient tensor Double 1  {3, }"));
  EXPECT_EQ(of(Tensor{}).text, "x = undefined tensor\n");
}

TEST(ResultText, WhatSaysNothingIsRefused) {
  const int n = 1;
  EXPECT_THAT(of(&n).refusal, HasSubstr("a pointer"));
  EXPECT_THAT(of("text").refusal, HasSubstr("an array of char"));
  EXPECT_THAT(of(std::make_unique<int>(1)).refusal, HasSubstr("a pointer"));
  EXPECT_THAT(of(std::make_shared<int>(1)).refusal, HasSubstr("a pointer"));
  EXPECT_THAT(of(Padded{'a', 1}).refusal, HasSubstr("no operator<<"));
  EXPECT_THAT(of([] { return 1; }).refusal, HasSubstr("no operator<<"));
  EXPECT_THAT(of(std::vector<const int*>{&n}).refusal, HasSubstr("a pointer"));
  EXPECT_THAT(sent([](result_text&) {}).refusal, HasSubstr("gives no result"));
}

TEST(ResultText, AVoidExpressionHasNoValue) {
  const auto nothing = [] {};
  EXPECT_THAT(sent([&](result_text& text) { text.value((nothing(), tally::detail::nothing{})); }).refusal,
              HasSubstr("gives no result"));
  EXPECT_EQ(sent([&](result_text& text) { text.value((1 + 1, tally::detail::nothing{})); }).text, "value = 2\n");
}

TEST(ResultText, ALongTextIsCutAndStillDistinguished) {
  std::vector<int> values(5000, 1);
  const Sent one = of(values);
  values.back() = 2;
  const Sent other = of(values);
  EXPECT_LT(one.text.size(), 4300U);
  EXPECT_NE(one.text, other.text);
  EXPECT_EQ(one.text.substr(0, 4096), other.text.substr(0, 4096));
}

}  // namespace
