#include "trace/byte_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <vector>

#include "base/files.h"

namespace tally::trace {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string drain(ByteSource& source) {
  std::string out;
  std::vector<char> room(10007);
  for (;;) {
    const auto got = source.read(room);
    EXPECT_TRUE(got.has_value());
    if (!got || *got == 0) return out;
    out.append(room.data(), *got);
  }
}

std::string noise(std::size_t size) {
  std::string text;
  for (unsigned x = 1; text.size() < size; x = x * 1664525 + 1013904223) text += static_cast<char>(x >> 24);
  return text;
}

TEST(ByteSource, InflatesMembersAndForgivesPadding) {
  const std::string a = noise(300'000), b = "tail";
  const std::string packed = gzip(a) + gzip(b) + std::string(37, '\0');
  for (const std::size_t block : {std::size_t{1}, std::size_t{999}, packed.size()}) {
    const auto source = memory_source(packed, block);
    EXPECT_EQ(drain(*source), a + b);
    EXPECT_EQ(source->fault(), "");
  }
}

TEST(ByteSource, KeepsWhatCameBeforeAFault) {
  const std::string text = noise(300'000);
  std::string packed = gzip(text);
  const auto cut = memory_source(std::span(packed).first(packed.size() / 2));
  const std::string half = drain(*cut);
  EXPECT_FALSE(half.empty());
  EXPECT_TRUE(text.starts_with(half));
  EXPECT_EQ(cut->fault(), "the gzip stream is cut off");
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  packed[packed.size() / 2 + 1] = '\x7F';
  const auto corrupt = memory_source(packed);
  (void)drain(*corrupt);
  EXPECT_NE(corrupt->fault(), "");
}

TEST(ByteSource, StopsAtABomb) {
  const std::string zeros = gzip(std::string(std::size_t{300} << 20, '\0'));
  ASSERT_LT(zeros.size(), 1U << 20);
  const auto source = memory_source(zeros);
  std::vector<char> room(1 << 20);
  std::size_t total = 0;
  for (;;) {
    const auto got = source->read(room);
    ASSERT_TRUE(got.has_value());
    if (*got == 0) break;
    total += *got;
  }
  EXPECT_LT(total, std::size_t{258} << 20);
  EXPECT_NE(source->fault().find("400-fold"), std::string::npos);
}

TEST(ByteSource, ReadsFilesAheadOrNot) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.has_value());
  const std::string text = noise(1'000'001), path = folder->path() / "x";
  for (const std::string& bytes : {text, gzip(text), std::string(), std::string("{")}) {
    std::ofstream(path, std::ios::binary) << bytes;
    for (const bool ahead : {false, true}) {
      const auto source = open_source(path, ahead);
      ASSERT_TRUE(source.has_value());
      const std::string got = drain(**source);
      EXPECT_EQ(got.size() > 1 ? got == text : got == bytes, true);
      EXPECT_EQ((*source)->fault(), "");
    }
    const auto dropped = open_source(path, true);  // Never read: the thread must end all the same.
    ASSERT_TRUE(dropped.has_value());
  }
  const auto missing = open_source(folder->path() / "nothing", true);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  const auto directory = open_source(folder->path(), false);
  EXPECT_FALSE(directory.has_value());
}

}  // namespace
}  // namespace tally::trace
