#include "base/zstd.h"

#include <gmock/gmock.h>
#include <zstd.h>

namespace tally {
namespace {

using testing::HasSubstr;

std::string compressed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

constexpr std::size_t kMost = 10'000'000;

TEST(Zstd, ReadsWhatItsLibraryWrites) {
  for (const std::size_t size : {0UL, 1UL, 100'000UL, 131'072UL, 131'073UL, 1'000'000UL}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>('a' + i % 23);
    const std::string bytes = compressed(text);
    EXPECT_TRUE(is_zstd(bytes));
    const auto read = from_zstd(bytes, "f", kMost);
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(*read, text);
  }
  EXPECT_EQ(from_zstd(compressed("a") + compressed("b"), "f", kMost), "ab");
  EXPECT_FALSE(is_zstd("{}"));
}

TEST(Zstd, WhatIsNoneIsOneErrorWithThePlace) {
  const std::string bytes = compressed(std::string(100'000, 'x') + "y");
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(from_zstd(bytes.substr(0, size), "f", kMost));
  std::string damaged = bytes;
  damaged[4] = '\xff';
  EXPECT_THAT(describe(from_zstd(damaged, "f.zst", kMost).error()), HasSubstr("f.zst"));
  EXPECT_THAT(describe(from_zstd(bytes, "f.zst", 99'999).error()), HasSubstr("more than"));
}

}  // namespace
}  // namespace tally
