#include "report/html/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "json/text.h"

namespace tally {
namespace {

/// What a browser's DecompressionStream makes of packed().
std::string unpacked(const std::string& text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = (group << 6U) | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((group >> static_cast<unsigned>(bits)) & 0xFFU);
  }
  std::string out(1 << 20, '\0');
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string text_of(std::size_t lines) {
  std::string text;
  for (std::size_t i = 1; i <= lines; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(PageSources, HaveEachTextOnceAndOnlyWhatIsShown) {
  PageSources sources;
  EXPECT_EQ(sources.add("d1", text_of(1000), {1, 500}), 0U);
  EXPECT_EQ(sources.add("d2", "x", {1}), 1U);
  EXPECT_EQ(sources.add("d1", text_of(1000), {505, 1000}), 0U);
  const json::Array all = sources.json();
  ASSERT_EQ(all.size(), 2U);
  const json::Value first = json::parse(unpacked(all[0].text_or(""))).value();
  EXPECT_EQ(*first["lines"].whole(), 1001U);
  ASSERT_EQ(first["runs"].size(), 3U);
  EXPECT_EQ(json::to_text(first["runs"][0]), R"([1,"line 1\nline 2\nline 3\nline 4\nline 5"])");
  EXPECT_EQ(*first["runs"][1][0].whole(), 496U);
  EXPECT_THAT(first["runs"][1][1].text_or(""), testing::EndsWith("line 509")) << "two stretches that meet are one";
  EXPECT_EQ(*first["runs"][2][0].whole(), 996U);
}

TEST(PageSources, AreLeftOutWhereTheyWouldBeTooMany) {
  PageSources sources;
  std::string noise;
  std::uint32_t random = 1;
  for (int i = 0; i < 1'000'000; ++i) noise += static_cast<char>('!' + (random = random * 1664525 + 1013904223) % 90);
  sources.add("a", noise, {1});
  sources.add("b", noise, {1});
  sources.add("c", "short", {1});
  const json::Array all = sources.json();
  EXPECT_NE(all[0].text(), nullptr);
  EXPECT_EQ(all[1].text(), nullptr);
  EXPECT_NE(all[2].text(), nullptr);
}

TEST(HtmlLines, HaveBothSidesByRow) {
  KeptLines before;
  before.iterations = 10;
  before.costs.lines = {{{"f.cc", 1}, 10}, {{"f.cc", 2}, 200}, {{"f.cc", 3}, 50}};
  before.costs.elsewhere = {{"/lib/libc.so.6", 70}};
  before.costs.sources = {{"f.cc", "old"}};
  before.texts = {{"f.cc", "a;\nx = row[j];\nb;\ngone;\nc;"}};
  before.costs.lines[{"f.cc", 4}] = 30;
  KeptLines after = before;
  after.costs.lines = {{{"f.cc", 1}, 10}, {{"f.cc", 2}, 300}, {{"f.cc", 3}, 50}};
  after.costs.sources = {{"f.cc", "new"}};
  after.texts = {{"f.cc", "a;\nx = row.at(j);\nb;\nc;"}};
  PageSources sources;
  const json::Value json = lines_json(&before, after, sources);
  EXPECT_EQ(json::to_text(json["line"]), "[1,2,3,3]");
  EXPECT_EQ(json::to_text(json["own"]), "[1.0,30.0,5.0,0.0]");
  EXPECT_EQ(json::to_text(json["before"]), "[1.0,20.0,5.0,3.0]");
  EXPECT_EQ(json::to_text(json["was"]), R"({"1":"x = row[j];"})");
  EXPECT_EQ(json::to_text(json["gone"]), R"({"3":"gone;"})");
  EXPECT_EQ(json::to_text(json["elsewhere"]), R"([["libc.so",7.0,7.0]])");
  EXPECT_EQ(json::to_text(json["files"]), R"([{"name":"f.cc","source":0}])");
  EXPECT_EQ(*json["total"].number(), 43);
  EXPECT_EQ(*json["total_before"].number(), 36);
  EXPECT_FALSE(lines_json(nullptr, after, sources).has("before"));
  EXPECT_EQ(sources.json().size(), 1U) << "only the later side's text is in the page";
}

}  // namespace
}  // namespace tally
