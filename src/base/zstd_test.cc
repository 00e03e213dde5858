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

TEST(Zstd, WhatIsTooLongToBeHeldGoesInPieces) {
  std::string text;
  for (long i = 0; i < 200'000; ++i) text += std::to_string(i * i % 1000);
  std::string_view left = text;
  std::string bytes;
  const auto take = [&](std::string_view piece) -> Status { return bytes.append(piece), Status(); };
  ASSERT_TRUE(to_zstd(
      [&]() -> Result<std::string_view> {
        const std::string_view piece = left.substr(0, 1000);
        left.remove_prefix(piece.size());
        return piece;
      },
      take));
  EXPECT_LT(bytes.size(), text.size() / 2);
  EXPECT_EQ(from_zstd(bytes, "f", kMost), text);
  const auto refuse = [](std::string_view) -> Status { return fail(ErrorKind::io, "no room"); };
  EXPECT_EQ(to_zstd([&]() -> Result<std::string_view> { return text; }, refuse).error().message, "no room");
  EXPECT_EQ(from_zstd([&]() -> Result<std::string_view> { return bytes; }, refuse, "f").error().message, "no room");
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
