#include "history/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

TEST(Profiles, AreCalledByWhatTheySay) {
  const std::string native = profile_stem({.native = "a", .python = std::nullopt});
  EXPECT_EQ(native, profile_stem({.native = "a", .python = std::nullopt}));
  EXPECT_NE(native, profile_stem({.native = "a", .python = "b"}));
  EXPECT_NE(native, profile_stem({.native = "b", .python = std::nullopt}));
  const auto files = profile_files(native, {.native = "a", .python = "b"});
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].name, native + ".json");
  EXPECT_EQ(files[1].name, native + ".python.json");
  for (const NewHistoryFile& file : files) EXPECT_EQ(stem_of_file(file.name), native);
  const std::string path = profile_path("runs/bench/suite.toml/abc/1-2.json", native);
  EXPECT_EQ(path, "../../../../" + native + ".json");
  EXPECT_EQ(stem_of_path(path), native);
  EXPECT_EQ(stem_of_path("record.profiles/1.json"), "");
}

TEST(Profiles, BothSidesOfAChangeAndTheLastRunAreEdges) {
  std::vector<Record> records;
  for (const double count : {10000.0, 10000.0, 11000.0, 11000.0, 11000.0}) {
    records.push_back(example_record());
    records.back().cases = {example_case("first", count), example_case("second", 1000)};
  }
  records.back().cases.pop_back();
  std::vector<const Record*> runs;
  CommitLine line;
  for (const Record& record : records) {
    line.measured.push_back(runs.size());
    runs.push_back(&record);
  }
  const History history = history_of("suite.toml", line, runs);
  EXPECT_THAT(edges_of(history, course_of(history, {})), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(0, 4), Pair(1, 3)));
}

}  // namespace
}  // namespace tally
