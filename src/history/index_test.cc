#include "history/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "history/course.h"
#include "history/environment_name.h"
#include "history/loaded.h"
#include "history/store.h"
#include "record/example_record.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

std::string commit_id(int number) { return std::string(36, 'a') + std::to_string(1000 + number); }

Record record_of(int number, double count) {
  Record record = example_record();
  record.source->dirty = false;
  record.source->commit = commit_id(number);
  record.cases = {example_case("first", count), example_case("second", 1000)};
  record.cases[0].counts->denoised = count - 10;
  record.cases[1].counts->floor = noise_floor(1000, {{"hash_seed=1", 1002.5}});
  record.cases[1].definition.digest = number < 3 ? "d1" : "d2";
  return record;
}

struct HistoryIndexTest : testing::Test {
  void add(int number, double count) { add(record_of(number, count)); }
  void add(const Record& record) {
    records.push_back(compacted(record));
    const auto added = store.add(records.back(), "record");
    ASSERT_TRUE(added) << describe(added.error());
  }

  /// The runs in the order in which they were added, whatever the store calls them.
  History loaded(const std::string& only = {}) {
    const auto index = store.index();
    EXPECT_TRUE(index) << describe(index.error());
    const auto runs = (*index)->runs("bench/suite.toml");
    EXPECT_TRUE(runs);
    History history;
    std::vector<std::optional<PlaceOfPart>> places(runs->size() + 1);
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (const IndexedRun& run : *runs) {
        if (run.commit == records[i].source->commit)
          places.at(static_cast<std::size_t>(run.id)) = PlaceOfPart{.run = static_cast<std::uint32_t>(i)};
      }
      history.runs.push_back({});
      history.line.measured.push_back(i);
    }
    EXPECT_TRUE((*index)->load("bench/suite.toml", places, only, history));
    return history;
  }

  /// As another process finds it that has no index.
  void forget() {
    store = HistoryStore(folder.path() / "history");
    fs::remove(file);
  }

  void expect_same_as_records() {
    std::vector<const Record*> whole;
    CommitLine line;
    for (const Record& record : records) {
      line.measured.push_back(whole.size());
      whole.push_back(&record);
    }
    const History expected = history_of("bench/suite.toml", line, whole);
    const History found = loaded();
    ASSERT_EQ(found.cases.size(), expected.cases.size());
    for (std::size_t of = 0; of < expected.cases.size(); ++of) {
      const CaseSeries& a = expected.cases[of];
      const CaseSeries& b = found.cases[of];
      EXPECT_EQ(a.id, b.id);
      EXPECT_EQ(a.of, b.of);
      EXPECT_EQ(a.language, b.language);
      ASSERT_EQ(a.points.size(), b.points.size());
      for (std::size_t i = 0; i < a.points.size(); ++i) {
        EXPECT_EQ(a.points[i].run, b.points[i].run);
        EXPECT_EQ(expected.bases[a.points[i].basis], found.bases[b.points[i].basis]);
        EXPECT_EQ(a.points[i].has_figure(), b.points[i].has_figure());
        if (a.points[i].has_figure()) EXPECT_EQ(a.points[i].figure, b.points[i].figure);
        EXPECT_EQ(figures_of(a.points[i]).denoised, figures_of(b.points[i]).denoised);
        EXPECT_EQ(figures_of(a.points[i]).floor, figures_of(b.points[i]).floor);
        EXPECT_EQ(a.points[i].has_time(), b.points[i].has_time());
        if (a.points[i].has_time()) EXPECT_EQ(a.points[i].time_s, b.points[i].time_s);
        EXPECT_EQ(a.points[i].status, b.points[i].status);
      }
    }
  }

  TemporaryFolder folder = TemporaryFolder::make().value();
  HistoryStore store{folder.path() / "history"};
  fs::path file = folder.path() / "history" / "index.sqlite";
  std::vector<Record> records;
};

TEST_F(HistoryIndexTest, KeepsWhatBenchmarksReportAndInWhatUnit) {
  for (const auto& [number, unit] : {std::pair(1, "ms"), std::pair(2, "s")}) {
    Record record = record_of(number, 1000);
    record.cases[0].counts.reset();
    record.cases[0].reported = Reported{.value = 12.5, .unit = unit};
    add(record);
  }
  expect_same_as_records();
  const History history = loaded();
  EXPECT_EQ(history.basis_of(history.cases[0].points[1]).unit, "s");
}

TEST_F(HistoryIndexTest, KeepsWhatADeviceDoesOfACaseBesideIt) {
  for (const int number : {1, 2, 3}) {
    Record record = record_of(number, 1000);
    record.cases[1].on_device = OnDevice{.name = "cuda"};
    if (number != 2)
      record.cases[1].on_device->work = DeviceWork{.kernels = 6.0 + number, .kernel_time_s = 1e-6 * number};
    add(record);
  }
  expect_same_as_records();
  const History one = loaded("second");
  ASSERT_THAT(one.cases, SizeIs(2));
  EXPECT_EQ(one.cases[1].of, SeriesOf::device);
  EXPECT_EQ(one.cases[1].id, "second");
  EXPECT_EQ(one.cases[1].points[2].figure, 9);
  EXPECT_FALSE(one.cases[1].points[1].has_figure());
  EXPECT_EQ(one.basis_of(one.cases[1].points[2]).metric, Metric::kernels);
  const auto index = store.index();
  ASSERT_TRUE(index);
  EXPECT_THAT((*index)->cases("bench/suite.toml").value(), testing::ElementsAre("first", "second")) << "each once";
}

/// Two programs' results at one commit, and one of them measured again.
TEST_F(HistoryIndexTest, OfSeveralRunsOfACommitEachCaseIsOfTheLatestThatHasIt) {
  Record first = record_of(1, 1000);
  first.cases = {example_case("first", 100), example_case("second", 200), example_case("third", 300),
                 example_case("fourth", 400)};
  first.started = "2026-01-01T10:00:00Z";
  Record second = first;
  second.cases = {example_case("second", 2000), example_case("third", 3000), example_case("fourth", 4000),
                  example_case("fifth", 5000)};
  second.cases[1].status = CaseStatus::failed;
  second.cases[1].counts.reset();
  second.cases[2].status = CaseStatus::skipped;
  second.cases[2].counts.reset();
  second.started = "2026-01-01T11:00:00Z";
  for (Environment* one : {&first.environments.begin()->second, &second.environments.begin()->second})
    one->machine = std::map<std::string, std::string>{{"cpu", one == &first.environments.begin()->second ? "a" : "b"}};
  // In another environment, whose counts are not these.
  Record other = first;
  other.environments.begin()->second.facts["glibc"] = "another";
  set_fingerprints(other);
  other.cases = {example_case("sixth", 6)};
  other.started = "2025-01-01T12:00:00Z";
  for (const Record& one : {second, first, other}) add(one);

  const auto index = store.index();
  ASSERT_TRUE(index) << describe(index.error());
  const std::string suite = *first.suite;
  const auto runs = (*index)->runs(suite);
  ASSERT_THAT(*runs, SizeIs(3));
  const CommitLine line{.commits = {{.id = commit_id(1), .author = "Ada", .title = "Begin"}}, .measured = {}};
  const auto chosen = choose_runs(placed_on(line, *runs), environment_name_of(first));
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->earlier_of_same_commit, 1U);
  const auto history = read_history(**index, suite, line, *runs, *chosen);
  ASSERT_TRUE(history);
  ASSERT_THAT(history->runs, SizeIs(2)) << "it is one commit in two environments";
  EXPECT_EQ(history->runs.back().started(), second.started);
  std::map<std::string, std::pair<double, std::string>> shown;
  for (const CaseSeries& one : history->cases) {
    ASSERT_THAT(one.points, SizeIs(1)) << one.id;
    const SeriesPoint& point = one.points.front();
    shown[one.id] = {point.has_figure() ? point.figure : -1, history->part_of(point).started};
    EXPECT_EQ(point.run, one.id == "sixth" ? 0 : 1) << one.id;
    EXPECT_EQ(history->part_of(point).processor,
              processor_name_of(history->part_of(point).started == second.started ? second : first));
  }
  EXPECT_THAT(shown, testing::UnorderedElementsAre(testing::Pair("first", std::pair(100, first.started)),
                                                   testing::Pair("second", std::pair(2000, second.started)),
                                                   testing::Pair("third", std::pair(-1, second.started)),
                                                   testing::Pair("fourth", std::pair(400, first.started)),
                                                   testing::Pair("fifth", std::pair(5000, second.started)),
                                                   testing::Pair("sixth", std::pair(6, other.started))));
}

TEST_F(HistoryIndexTest, SaysWhatTheRecordsSay) {
  // More than a row of points, in steps that begin and end within rows.
  for (int i = 0; i < 140; ++i) {
    add(i, 10000 + i);
    if (i % 57 == 0) ASSERT_TRUE(store.index());
  }
  expect_same_as_records();
  const History one = loaded("second");
  ASSERT_THAT(one.cases, SizeIs(1));
  EXPECT_EQ(one.cases[0].id, "second");
}

TEST_F(HistoryIndexTest, IsMadeAnewWhereItIsGoneBrokenOrOfAnotherVersion) {
  for (int i = 0; i < 5; ++i) add(i, 10000 + i);
  expect_same_as_records();
  const auto anew = [&] { return HistoryStore(folder.path() / "history"); };
  forget();
  expect_same_as_records();
  ASSERT_TRUE(write_file(file, "no database at all, but a text of some length"));
  store = anew();
  expect_same_as_records();
  ASSERT_TRUE(write_file(file, read_file(file)->substr(0, 5000)));
  store = anew();
  expect_same_as_records();
  {
    auto database = SqlDatabase::open(file);
    ASSERT_TRUE(database->execute("UPDATE layout SET version = 0; DELETE FROM series"));
  }
  store = anew();
  expect_same_as_records();
  ASSERT_TRUE(store.rebuild());
  expect_same_as_records();
}

TEST_F(HistoryIndexTest, ForgetsWhatWasTakenAway) {
  for (int i = 0; i < 3; ++i) add(i, 10000 + i);
  expect_same_as_records();
  const auto runs = store.runs();
  ASSERT_TRUE(runs);
  ASSERT_THAT(*runs, SizeIs(3));
  ASSERT_TRUE(store.files().remove(std::vector<std::string>{runs->back().file}, ""));
  records.pop_back();
  expect_same_as_records();
}

/// A listing that it knew once is not the one that it knows.
TEST_F(HistoryIndexTest, NotesAListingOnlyUntilItChanges) {
  add(0, 10000);
  expect_same_as_records();
  expect_same_as_records();
  add(1, 10001);
  const std::string second = store.runs()->back().file;
  const std::string first = store.runs()->front().file;
  const auto index = store.index();
  ASSERT_TRUE(index);
  EXPECT_EQ((*index)->knows_just({first, second}), true);
  EXPECT_EQ((*index)->knows_just({first}), false);
  ASSERT_TRUE(store.files().remove(std::vector{second}, ""));
  records.pop_back();
  expect_same_as_records();
  EXPECT_EQ((*index)->knows_just({first, second}), false);
}

TEST_F(HistoryIndexTest, NothingOfAFileThatIsBrokenIsTaken) {
  for (int i = 0; i < 3; ++i) add(i, 10000 + i);
  forget();
  const fs::path broken = store.files().place_of(store.runs()->back().file);
  const std::string text = read_file(broken).value();
  ASSERT_TRUE(write_file(broken, text.substr(0, text.size() / 2)));
  const auto index = store.index();
  ASSERT_FALSE(index);
  EXPECT_THAT(index.error().message, HasSubstr("not what was stored"));
  ASSERT_TRUE(write_file(broken, text));
  expect_same_as_records();
}

TEST_F(HistoryIndexTest, LiesInMemoryWhereNoneCanBeWritten) {
  for (int i = 0; i < 3; ++i) add(i, 10000 + i);
  forget();
  fs::create_directory(file);  // In its place.
  fs::create_directory(file / "kept");
  expect_same_as_records();
  EXPECT_TRUE(fs::exists(file / "kept"));
}

}  // namespace
}  // namespace tally
