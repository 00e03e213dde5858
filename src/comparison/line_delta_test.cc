#include "comparison/line_delta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::IsEmpty;

KeptLines lines(const std::string& file, const std::string& text, std::vector<std::uint64_t> costs,
                std::uint64_t iterations = 10) {
  KeptLines kept;
  kept.iterations = iterations;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] > 0) kept.costs.lines[{.file = file, .line = i + 1}] = costs[i];
  }
  if (!text.empty()) kept.texts[file] = text;
  return kept;
}

TEST(LineDelta, ALineMoreAboveMovesNothing) {
  const KeptLines before = lines("f.cc", "a;\nb;\nc;", {10, 20, 30});
  const KeptLines after = lines("f.cc", "// new\na;\nb;\nc;", {0, 10, 20, 30});
  EXPECT_THAT(moved_lines(line_deltas(&before, after)), IsEmpty());
  EXPECT_EQ(line_deltas(&before, after).size(), 3U);
}

TEST(LineDelta, ALineThatIsWrittenOtherwiseIsComparedWithWhatItWas) {
  const KeptLines before = lines("/a/f.cc", "for\n  x = row[j];\nend", {10, 200, 0}, 10);
  const KeptLines after = lines("/b/f.cc", "for\n  x = row.at(j);\nend", {20, 600, 0}, 20);
  const auto moved = moved_lines(line_deltas(&before, after));
  ASSERT_EQ(moved.size(), 1U) << "figures are per iteration, and files the same in another folder";
  EXPECT_EQ(moved[0].at, (SourceLine{"/b/f.cc", 2}));
  EXPECT_EQ(moved[0].before, 20);
  EXPECT_EQ(moved[0].after, 30);
  EXPECT_EQ(moved[0].text, "x = row.at(j);");
  EXPECT_EQ(moved[0].text_before, "x = row[j];");
}

TEST(LineDelta, ALineThatIsGoneSaysWhatItWasAndWhereItStood) {
  const KeptLines before = lines("f.cc", "a;\ngone;\nb;", {10, 500, 20});
  const KeptLines after = lines("f.cc", "a;\nb;", {10, 20});
  const auto all = line_deltas(&before, after);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[1].gone) << "below the line that it stood below";
  EXPECT_EQ(all[1].below, 1U);
  EXPECT_EQ(all[1].text, "gone;");
  EXPECT_EQ(all[1].delta(), -50);
  EXPECT_EQ(moved_lines(all).size(), 1U);
}

TEST(LineDelta, WithoutTextsNumbersDecide) {
  const KeptLines before = lines("f.cc", "", {10, 20});
  const KeptLines after = lines("f.cc", "new\na", {10, 30});
  const auto moved = moved_lines(line_deltas(&before, after));
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].at.line, 2U);
  EXPECT_EQ(moved[0].text_before, "");
}

TEST(LineDelta, SuitesAreOneFileAndFilesOfOneNameAreNot) {
  const KeptLines suite = lines("base.toml", "x", {10});
  EXPECT_THAT(moved_lines(line_deltas(&suite, lines("changed.toml", "x", {10}))), IsEmpty());
  KeptLines before = lines("/a/x/f.cc", "x", {10});
  before.costs.lines[{.file = "/a/y/f.cc", .line = 1}] = 20;
  EXPECT_EQ(moved_lines(line_deltas(&before, lines("/b/x/f.cc", "x", {10}))).size(), 3U) << "either could be it";
}

TEST(LineDelta, CodeWithoutLinesIsByObjectWhateverItsVersion) {
  KeptLines before;
  before.costs.elsewhere = {{"/a/libx.so.1", 100}, {"/usr/lib/libc.so.6", 7}};
  KeptLines after;
  after.costs.elsewhere = {{"/b/libx.so.2", 140}, {"/usr/lib/libc.so.6", 7}};
  const auto moved = moved_lines(line_deltas(&before, after));
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].at, (SourceLine{"/b/libx.so.2", 0}));
  EXPECT_EQ(moved[0].delta(), 40);
}

TEST(LineDelta, WhatIsNewerThanItsCodeIsMarked) {
  KeptLines after = lines("f.cc", "", {10});
  after.costs.newer.insert("f.cc");
  const auto all = line_deltas(nullptr, after);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].newer);
  EXPECT_EQ(all[0].after, 1);
}

}  // namespace
}  // namespace tally
