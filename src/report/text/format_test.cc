#include "report/text/format.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Format, CountsHaveSeparatorsAndFewDecimals) {
  EXPECT_EQ(format_count(1822364), "1,822,364");
  EXPECT_EQ(format_count(-1822364.4), "-1,822,364");
  EXPECT_EQ(format_count(15238.5), "15,239");
  EXPECT_EQ(format_count(-15238.5), "-15,239");
  EXPECT_EQ(format_count(999.5), "999.50");
  EXPECT_EQ(format_count(12), "12");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(-0.001), "0");
  EXPECT_EQ(format_count(123456), "123,456");
}

TEST(Format, AValueHasItsUnit) {
  EXPECT_EQ(format_value(2, "kernels"), "2 kernels");
  EXPECT_EQ(format_value(1, "kernels"), "1 kernel");
  EXPECT_EQ(format_value(12345.6, "nodes"), "12,346 nodes");
  EXPECT_EQ(format_value(2048, "bytes"), "2 KiB");
  EXPECT_EQ(format_value(0.123456, ""), "0.1235");
}

TEST(Format, CallsOfTwoSidesAreOneWhereTheyAgree) {
  EXPECT_EQ(format_calls(3, 4), "3 → 4");
  EXPECT_EQ(format_calls(3, 3 + 1e-9), "3");
  EXPECT_EQ(format_calls(0, 0.001), "0 → <0.01");
  EXPECT_EQ(format_calls(0, 0), "");
}

TEST(Format, SecondsShowWhatTheIntervalSupports) {
  EXPECT_EQ(format_seconds(1.23456e-6, 1e-8), "1.23 µs");
  EXPECT_EQ(format_seconds(1.23456e-6, 5e-7), "1 µs");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(2.5e-10), "0.250 ns");
  EXPECT_EQ(format_seconds(0.99996e-3), "1.00 ms");
  EXPECT_EQ(format_seconds(65), "65.0 s");
}

TEST(Format, ChangesAreSigned) {
  EXPECT_EQ(format_change(0.0125), "+1.3 %");
  EXPECT_EQ(format_change(-0.00003), "-0.0030 %");
  EXPECT_EQ(format_change(0), "0 %");
  EXPECT_EQ(format_change(12), "+1,200 %");
}

TEST(Format, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width("µs"), 2);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(fit("漢字テスト", 6), "漢字…");
  EXPECT_EQ(fit("abc", 3), "abc");
  EXPECT_EQ(fit("abcd", 3), "ab…");
  EXPECT_EQ(fit_in_middle("abc", 3), "abc");
  EXPECT_EQ(fit_in_middle("test_sort[10-list]", 12), "tes…10-list]");
  EXPECT_EQ(fit_in_middle("test_sort[10-list]", 2), "t…");
  EXPECT_EQ(fit_in_middle("漢字テストabc", 8), "漢…トabc");
}

TEST(Format, EscapesCannotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\xef\xbf\xbd[31mb");
  EXPECT_EQ(printable("a\nb", true), "a\nb");
  EXPECT_EQ(printable("a\nb"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(printable("caf\xe9"), "caf\xef\xbf\xbd");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate is no character
}

}  // namespace
}  // namespace tally
