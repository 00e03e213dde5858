#include "history/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <map>
#include <set>

#include "base/files.h"
#include "comparison/comparison.h"
#include "record/example_counts.h"
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
  EXPECT_EQ(again->file, first->file);

  Record other = committed();
  scale_count(*other.cases[0].counts, 1.001);
  EXPECT_TRUE(store.add(other, "c.json")->is_new);
  Record elsewhere = committed();
  elsewhere.fingerprint.environment = "e1";
  EXPECT_TRUE(store.add(elsewhere, "d.json")->is_new);

  const auto runs = store.runs();
  ASSERT_TRUE(runs);
  ASSERT_THAT(*runs, SizeIs(3));
  std::set<std::string> environments;
  for (const StoredRun& run : *runs) {
    EXPECT_EQ(run.suite, "bench/suite.toml");
    EXPECT_EQ(run.commit, committed().source->commit);
    environments.insert(run.environment);
    const auto loaded = store.load(run.file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    if (run.file == first->file) EXPECT_EQ(*loaded, compacted(committed()));
  }
  EXPECT_THAT(environments, SizeIs(2));
}

TEST_F(HistoryStoreTest, KeepsOfTimesWhatComparesThem) {
  const Record whole = committed();
  const Record kept = compacted(whole);
  ASSERT_TRUE(kept.cases[0].wall);
  EXPECT_THAT(kept.cases[0].wall->replicates_s, SizeIs(5));
  EXPECT_NEAR(kept.cases[0].wall->median_s / whole.cases[0].wall->median_s, 1, 1e-5);
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
  EXPECT_NEAR(time_of(exact)->ratio.low, time_of(compact)->ratio.low, 2e-5);
  EXPECT_NEAR(time_of(exact)->ratio.high, time_of(compact)->ratio.high, 2e-5);
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
  EXPECT_FALSE(fs::exists(folder.path() / "history"));
}

TEST_F(HistoryStoreTest, PassesOverWhatIsNoRunAndRefusesWhatWasChanged) {
  EXPECT_THAT(*store.runs(), IsEmpty());
  const auto added = store.add(committed(), "a.json");
  ASSERT_TRUE(added);
  const fs::path path = store.files().place_of(added->file);
  ASSERT_TRUE(write_file(path.parent_path() / "notes.txt", "mine"));
  ASSERT_TRUE(write_file(path.string() + ".new", "half"));
  ASSERT_THAT(*store.runs(), SizeIs(1));
  const std::string text = read_file(path).value();
  ASSERT_TRUE(write_file(path, text.substr(0, text.size() / 2)));
  const auto broken = store.load(added->file);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("not what was stored"));
  EXPECT_EQ(broken.error().where, path.string());
  const auto again = store.add(committed(), "a.json");
  ASSERT_FALSE(again) << "what stands there is not the record";
  EXPECT_THAT(again.error().message, HasSubstr("not what was stored"));
}

TEST_F(HistoryStoreTest, RefusesWhatIsNoFileWhereARunBelongs) {
  const fs::path file = folder.path() / "history" / store.add(committed(), "a.json")->file;
  const fs::path apart = folder.path() / "apart";
  fs::rename(file, apart);
  const std::map<const char*, std::function<void()>> kinds = {
      {"a folder", [&] { fs::create_directory(file); }},
      {"a link to a folder", [&] { fs::create_directory_symlink(folder.path(), file); }},
      {"a link that leads nowhere", [&] { fs::create_symlink("nowhere", file); }},
      {"a pipe", [&] { ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0); }}};
  for (const auto& [kind, make] : kinds) {
    make();
    const auto runs = store.runs();
    ASSERT_FALSE(runs) << kind;
    EXPECT_THAT(describe(runs.error()), HasSubstr(file.filename().string())) << kind;
    EXPECT_FALSE(store.index()) << kind;
    fs::remove(file);
  }
  fs::create_symlink(apart, file);
  EXPECT_THAT(store.runs().value(), SizeIs(1)) << "a link to a file is as good as the file";
}

TEST_F(HistoryStoreTest, ManyAtOnceAreAllThere) {
  const auto runs = [] {
    std::vector<HistoryStore::Run> runs;
    for (int i = 0; i < 20; ++i) {
      Record record = committed();
      scale_count(*record.cases[0].counts, 1 + 0.001 * i);
      runs.push_back(HistoryStore::run_of(record, "a.json").value());
    }
    return runs;
  };
  ASSERT_TRUE(store.add(runs()));
  ASSERT_TRUE(store.add(runs()));
  EXPECT_THAT(*store.runs(), SizeIs(20));
  EXPECT_THAT((*store.index())->runs("bench/suite.toml").value(), SizeIs(20));
}

}  // namespace
}  // namespace tally
