#include "trace/number.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tally::trace {
namespace {

TEST(Nanoseconds, ReadsDecimalMicrosecondsExactly) {
  EXPECT_EQ(nanoseconds("0"), 0);
  EXPECT_EQ(nanoseconds("12"), 12'000);
  EXPECT_EQ(nanoseconds("1.5"), 1'500);
  EXPECT_EQ(nanoseconds("4458676522690.655"), 4'458'676'522'690'655);
  EXPECT_EQ(nanoseconds("1682725898236567"), 1'682'725'898'236'567'000);
  EXPECT_EQ(nanoseconds("-3.25"), -3'250);
  EXPECT_EQ(nanoseconds("68.0"), 68'000);
  EXPECT_EQ(nanoseconds("007.0010"), 7'001);
}

TEST(Nanoseconds, RoundsBeyondThreeDecimalsToTheNearest) {
  EXPECT_EQ(nanoseconds("1.0004"), 1'000);
  EXPECT_EQ(nanoseconds("1.0005"), 1'001);
  EXPECT_EQ(nanoseconds("1.00049999999999999999999"), 1'000);
  EXPECT_EQ(nanoseconds("0.9999999"), 1'000);
  EXPECT_EQ(nanoseconds("1419247332972.3130000000000"), 1'419'247'332'972'313);
}

TEST(Nanoseconds, ReadsExponents) {
  EXPECT_EQ(nanoseconds("1.5e3"), 1'500'000);
  EXPECT_EQ(nanoseconds("1.682725898236567E+15"), 1'682'725'898'236'567'000);
  EXPECT_EQ(nanoseconds("25e-4"), 3);  // 2.5 ns, halves away from zero
  EXPECT_EQ(nanoseconds("1e-400"), 0);
  EXPECT_EQ(nanoseconds("0e99"), 0);
}

TEST(Nanoseconds, RefusesWhatIsNoNumberOrTooLarge) {
  for (const auto* text : {"", "-", ".", "1.", ".e3", "1e", "e5", "NaN", "N/A", "1.2.3", "12x", "1 2", "null",
                           "Infinity", "1e300", "99999999999999999999", "4611686018427387.905", "--1", "0x10"})
    EXPECT_FALSE(nanoseconds(text).has_value()) << text;
  EXPECT_EQ(nanoseconds("4611686018427387.904"), kLatestTime);
}

TEST(Nanoseconds, ReadsAnyNumberOfDigits) {
  // Exactly as long as the text: nothing behind it may be looked at.
  for (std::size_t whole = 1; whole <= 16; ++whole) {
    for (std::size_t decimals = 0; decimals <= 4; ++decimals) {
      const std::string digits = std::string("1234567890123456").substr(0, whole);
      const std::string fraction = std::string("9871").substr(0, decimals);
      std::vector<char> text(digits.begin(), digits.end());
      if (decimals > 0) text.push_back('.');
      text.insert(text.end(), fraction.begin(), fraction.end());
      const std::string thousandths = (fraction + "000").substr(0, 3);
      EXPECT_EQ(nanoseconds({text.data(), text.size()}), std::stoll(digits + thousandths));
    }
  }
}

TEST(RealNumber, IsTheNearestDouble) {
  for (const auto* text : {"0", "40", "0.1", "12.5", "0.0125", "99999999.9999999", "12345678.12345678", "123456789",
                           "1e3", "-2.5", "007.25", "33.333333333333336"})
    EXPECT_EQ(real_number(text), std::strtod(text, nullptr)) << text;
  for (const auto* text : {"", ".", "x", "1x", "1.5x", "null", "inf", "1e999", "+1"})
    EXPECT_FALSE(real_number(text).has_value()) << text;
}

TEST(WholeNumber, TakesIntegersAndIntegralDecimals) {
  EXPECT_EQ(whole_number("4294967295"), 4294967295U);
  EXPECT_EQ(whole_number("17.00"), 17U);
  for (const auto* text : {"", "-1", "1.5", "x", "1e3", "99999999999999999999999"})
    EXPECT_FALSE(whole_number(text).has_value()) << text;
}

}  // namespace
}  // namespace tally::trace
