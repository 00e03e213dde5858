#include "history/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "comparison/comparison.h"
#include "record/example_record.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Record committed() {
  Record record = example_record();
  record.source->dirty = false;
  return record;
}

struct HistoryStoreTest : testing::Test {
  TemporaryFolder folder = TemporaryFolder::make().value();
  HistoryStore store{folder.path() / "history"};
};

TEST_F(HistoryStoreTest, KeepsARunOnceAndGivesItBack) {
  const auto first = store.add(committed(), "a.json");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->is_new);
  const auto again = store.add(committed(), "b.json");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->path, first->path);

  Record other = committed();
  other.cases[0].counts->per_iteration += 1;
  EXPECT_TRUE(store.add(other, "c.json")->is_new);
  Record elsewhere = committed();
  elsewhere.fingerprint.environment = "e1";
  EXPECT_TRUE(store.add(elsewhere, "d.json")->is_new);

  const auto lanes = store.lanes();
  ASSERT_TRUE(lanes);
  ASSERT_THAT(*lanes, SizeIs(2));
  EXPECT_EQ((*lanes)[0].suite, "bench/suite.toml");
  EXPECT_NE((*lanes)[0].environment, (*lanes)[1].environment);
  std::size_t runs = 0;
  for (const Lane& lane : *lanes) {
    for (const StoredRun& run : lane.runs) {
      EXPECT_EQ(run.commit, committed().source->commit);
      const auto loaded = load_run(run);
      ASSERT_TRUE(loaded) << loaded.error().message;
      ++runs;
      if (run.path == first->path) EXPECT_EQ(*loaded, compacted(committed()));
    }
  }
  EXPECT_EQ(runs, 3);
}

TEST_F(HistoryStoreTest, KeepsOfTimesWhatComparesThem) {
  const Record whole = committed();
  const Record kept = compacted(whole);
  ASSERT_TRUE(kept.cases[0].wall);
  EXPECT_THAT(kept.cases[0].wall->replicates_s, SizeIs(5));
  EXPECT_EQ(kept.cases[0].wall->median_s, whole.cases[0].wall->median_s);
  EXPECT_FALSE(kept.cases[0].profile);
  Record slower = whole;
  for (double& sample : slower.cases[0].wall->replicates_s) sample *= 1.1;
  slower.cases[0].wall->median_s *= 1.1;
  const auto time_of = [](const Comparison& comparison) { return comparison.cases.back().time; };  // The other failed.
  const Comparison exact = compare(whole, slower, {});
  const Record kept_slower = compacted(slower);
  const Comparison compact = compare(kept, kept_slower, {});
  ASSERT_TRUE(time_of(exact) && time_of(compact));
  EXPECT_EQ(time_of(compact)->verdict, Verdict::slower);
  EXPECT_NEAR(time_of(exact)->ratio.low, time_of(compact)->ratio.low, 1e-9);
  EXPECT_NEAR(time_of(exact)->ratio.high, time_of(compact)->ratio.high, 1e-9);
}

TEST_F(HistoryStoreTest, RefusesWhatBelongsToNoCommit) {
  const auto refusal = [&](const Record& record) { return store.add(record, "a.json").error(); };
  Record none = committed();
  none.source.reset();
  EXPECT_THAT(refusal(none).message, HasSubstr("which commit"));
  EXPECT_EQ(refusal(none).kind, ErrorKind::input);
  EXPECT_THAT(refusal(example_record()).message, HasSubstr("not in commit 1234567890ab"));
  Record statement = committed();
  statement.suite.reset();
  EXPECT_THAT(refusal(statement).message, HasSubstr("which suite"));
  for (const char* astray : {"../suite.toml", "/etc/suite.toml", "a//b", ""}) {
    statement.suite = astray;
    EXPECT_THAT(refusal(statement).message, HasSubstr("which suite")) << astray;
  }
  Record part = committed();
  part.part = Part{.index = 1, .count = 2, .digest = "d", .cases = 4, .places = {}, .missing = {}};
  EXPECT_THAT(refusal(part).message, HasSubstr("part of a plan"));
  Record elsewhere = committed();
  elsewhere.source->commit = "../../x";
  EXPECT_THAT(refusal(elsewhere).message, HasSubstr("which commit"));
  EXPECT_FALSE(fs::exists(store.folder()));
}

TEST_F(HistoryStoreTest, PassesOverWhatIsNoRunAndRefusesWhatWasChanged) {
  EXPECT_THAT(*store.lanes(), IsEmpty());
  const auto added = store.add(committed(), "a.json");
  ASSERT_TRUE(added);
  ASSERT_TRUE(write_file(added->path.parent_path() / "notes.txt", "mine"));
  ASSERT_TRUE(write_file(added->path.string() + ".new", "half"));
  const auto lanes = store.lanes();
  ASSERT_THAT(lanes->at(0).runs, SizeIs(1));
  const std::string text = read_file(added->path).value();
  ASSERT_TRUE(write_file(added->path, text.substr(0, text.size() / 2)));
  const auto broken = load_run(lanes->at(0).runs[0]);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("not what was stored"));
  EXPECT_EQ(broken.error().where, added->path.string());
}

}  // namespace
}  // namespace tally
