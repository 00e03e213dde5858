#include "trace/number.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(nanoseconds("4611686018427387.904"), latest_time);
}

TEST(WholeNumber, TakesIntegersAndIntegralDecimals) {
  EXPECT_EQ(whole_number("4294967295"), 4294967295U);
  EXPECT_EQ(whole_number("17.00"), 17U);
  for (const auto* text : {"", "-1", "1.5", "x", "1e3", "99999999999999999999999"})
    EXPECT_FALSE(whole_number(text).has_value()) << text;
}

}  // namespace
}  // namespace tally::trace
