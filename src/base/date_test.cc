#include "base/date.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Date, IsADayOfTheCalendarOrNothing) {
  for (const char* good : {"2026-03-01", "2024-02-29", "1970-01-01", "9999-12-31"}) {
    const auto day = parse_date(good);
    ASSERT_TRUE(day) << good;
    EXPECT_EQ(to_string(*day), good);
  }
  for (const char* bad : {"", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-3-1", "2026/03/01", "soon",
                          "2026-03-01 ", "+026-03-01", "2026-03-0x"})
    EXPECT_FALSE(parse_date(bad)) << bad;
  EXPECT_EQ(to_string(*parse_date("2026-11-24") + std::chrono::days(90)), "2027-02-22");
}

}  // namespace
}  // namespace tally
