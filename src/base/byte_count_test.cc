#include "base/byte_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Bytes, AreNumbersWithUnits) {
  EXPECT_EQ(*parse_bytes("1", ""), 1U);
  EXPECT_EQ(*parse_bytes("2K", ""), 2048U);
  EXPECT_EQ(*parse_bytes("512M", ""), 512U << 20);
  EXPECT_EQ(*parse_bytes("3GiB", ""), 3ULL << 30);
  EXPECT_EQ(*parse_bytes(" 2 GB ", ""), 2ULL << 30);
  for (const char* wrong : {"", "0", "K", "-1", "12Q", "1.5G", "99999999999G", "2 G B", "off"}) {
    const auto bytes = parse_bytes(wrong, "--memory");
    ASSERT_FALSE(bytes) << wrong;
    EXPECT_THAT(describe(bytes.error()), testing::StartsWith("--memory: '")) << wrong;
  }
}

TEST(Bytes, AreShownInTheirUnit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(17U << 10), "17 KiB");
  EXPECT_EQ(bytes_text((219U << 20) + (1U << 19)), "219.5 MiB");
  EXPECT_EQ(bytes_text(3ULL << 29), "1.50 GiB");
}

}  // namespace
}  // namespace tally
