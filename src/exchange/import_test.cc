#include "exchange/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "record/json.h"

namespace tally::exchange {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;
using testing::SizeIs;

/// What the tools have written of programs of ours; names of machines are others.
std::vector<File> examples(std::initializer_list<const char*> names) {
  std::vector<File> files;
  for (const char* name : names) {
    const std::string path = std::string(TALLY_SOURCE_DIR "/src/exchange/examples/") + name;
    files.push_back({name, read_file(path).value()});
  }
  return files;
}

Result<Import> import_of(std::string_view format, std::vector<File> files, const ImportContext& context = {}) {
  return import_results(*import_format(format), files, context);
}

Import read(std::string_view format, std::initializer_list<const char*> names, const ImportContext& context = {}) {
  auto import = import_of(format, examples(names), context);
  EXPECT_TRUE(import) << describe(import.error());
  if (!import) return {};
  // A record of them is one like any other.
  const auto again = record_from_json(to_json(import->record), "again");
  EXPECT_TRUE(again) << describe(again.error());
  return *std::move(import);
}

std::vector<std::string> ids(const Record& record) {
  std::vector<std::string> all;
  all.reserve(record.cases.size());
  for (const CaseRecord& one : record.cases) all.push_back(one.id);
  return all;
}

TEST(Import, OfHyperfine) {
  const Record record = read("hyperfine", {"hyperfine.json"}, {.started = "2026-01-31T12:00:00Z"}).record;
  EXPECT_THAT(ids(record), ElementsAre("sleep 0.01 [command]", "true [command]"));
  EXPECT_EQ(record.suite, "hyperfine");
  EXPECT_EQ(record.started, "2026-01-31T12:00:00Z");
  EXPECT_FALSE(record.source);
  const CaseRecord& sleep = record.cases.front();
  EXPECT_FALSE(sleep.counts);
  ASSERT_TRUE(sleep.wall);
  EXPECT_EQ(sleep.wall->median_s, 0.011033091);
  EXPECT_EQ(sleep.wall->samples_per_child, std::vector<std::uint64_t>(5, 1)) << "each execution is a process";
  ASSERT_TRUE(sleep.used);
  EXPECT_EQ(sleep.used->user_s, 0.0008688);
}

TEST(Import, OfHyperfineWithParametersAndASummary) {
  const auto import = import_of("hyperfine", {{"r.json", R"({"results": [
    {"command": "f 1", "median": 2, "parameters": {"n": "1"}}, {"command": "f 2", "times": [], "parameters": {"n": 2}}]})"}});
  ASSERT_TRUE(import);
  const Record& record = import->record;
  EXPECT_THAT(ids(record), ElementsAre("f 1 [command n=1]", "f 2 [command n=2]"));
  EXPECT_THAT(record.cases[0].flags, ElementsAre("one_child"));
  EXPECT_EQ(record.cases[1].status, CaseStatus::failed);
  EXPECT_EQ(record.cases[1].failure->message, "it has no times");
}

TEST(Import, OfHyperfineTakesExecutionsThatFailedForFailed) {
  const auto case_with = [](std::string_view codes, std::vector<int> expected) {
    const auto import = import_results(
        *import_format("hyperfine"),
        std::vector<File>{
            {"r.json", fmt::format(R"({{"results": [{{"command": "a", "times": [1, 1], "user": 1, "system": 0,
                                                 "exit_codes": {}}}]}})",
                                   codes)}},
        {.expected_codes = std::move(expected)});
    EXPECT_TRUE(import);
    return import->record.cases.front();
  };
  const CaseRecord fine = case_with("[0, 0]", {0});
  EXPECT_EQ(fine.status, CaseStatus::ok);
  EXPECT_THAT(*fine.used->exit_codes, ElementsAre(0));
  const CaseRecord failed = case_with("[0, 1]", {0});
  EXPECT_EQ(failed.status, CaseStatus::failed);
  EXPECT_EQ(failed.failure->message, "an execution ended with exit code 1");
  EXPECT_FALSE(failed.wall);
  EXPECT_EQ(case_with("[0, null]", {0}).failure->message, "an execution was ended by a signal");
  EXPECT_THAT(*case_with("[1, 0]", {0, 1}).used->exit_codes, ElementsAre(0, 1));
  EXPECT_EQ(case_with("[7, null]", {}).status, CaseStatus::ok);
}

TEST(Import, OfPytestBenchmark) {
  const Record record = read("pytest-benchmark", {"pytest_benchmark.json"}).record;
  EXPECT_THAT(ids(record), ElementsAre("test_y.py::test_sum[10] [python]", "test_y.py::test_sum[1000] [python]"));
  ASSERT_TRUE(record.source);
  EXPECT_EQ(record.source->commit, "a2c7efcac1b04c242d5ea0a40b39798efe605572");
  EXPECT_FALSE(record.source->dirty);
  EXPECT_THAT(record.started, HasSubstr("2026-11-28T19:07:"));
  const Wall& wall = *record.cases.front().wall;
  EXPECT_EQ(wall.number_per_run, 20U);
  EXPECT_THAT(wall.replicates_s, SizeIs(5));
  EXPECT_THAT(wall.samples_per_child, ElementsAre(5));
  EXPECT_EQ(wall.median_s, 1.4620018191635608e-07);
  EXPECT_EQ(record.machines.front().cpu, "Example CPU 3000");
  EXPECT_EQ(record.environments.at("pytest-benchmark [python]").facts.at("python"), "CPython 3.11.7");
}

TEST(Import, OfPyperf) {
  const Record record = read("pyperf", {"pyperf.json"}).record;
  EXPECT_THAT(ids(record), ElementsAre("sort [python]", "sum [python]"));
  const Wall& wall = *record.cases.front().wall;
  EXPECT_THAT(wall.samples_per_child, ElementsAre(3, 3, 3)) << "the calibration is none";
  EXPECT_EQ(wall.number_per_run, 2048U);
  EXPECT_EQ(wall.replicates_s.front(), 8.008813452420327e-07);
  EXPECT_EQ(record.started, "2026-11-28T18:52:18Z");
  EXPECT_EQ(record.tool.version, "2.11.0");
  const auto other = import_of("pyperf", {{"r.json", R"({"version": "1.0", "metadata": {"unit": "byte"},
    "benchmarks": [{"metadata": {"name": "memory"}, "runs": [{"values": [5]}]}]})"}});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("memory: its unit is 'byte'"));
}

TEST(Import, OfGoogleBenchmark) {
  const Record record = read("google-benchmark", {"google_benchmark.json"}).record;
  EXPECT_THAT(ids(record), ElementsAre("BM_sort%2F8 [cpp]", "BM_sort%2F512 [cpp]", "BM_bad [cpp]", "BM_cx%2F8 [cpp]"));
  EXPECT_EQ(record.started, "2026-11-28T17:52:38Z");
  const CaseRecord& sort = record.cases.front();
  EXPECT_NEAR(sort.wall->median_s, 4.0402742503383944e-08, 1e-18) << "its unit is us";
  EXPECT_EQ(sort.counters->at("mine"), 3);
  EXPECT_EQ(sort.wall->number_per_run, 272817U);
  EXPECT_EQ(record.cases[2].failure->message, "no luck");
}

TEST(Import, OfGoogleBenchmarkIsOneEnvironmentWhateverTheClockWas) {
  auto files = examples({"google_benchmark.json"});
  const Record record = import_of("google-benchmark", files)->record;
  const std::size_t at = files.front().text.find("\"mhz_per_cpu\": 3000");
  ASSERT_NE(at, std::string::npos);
  files.front().text.replace(at, 19, "\"mhz_per_cpu\": 2893");
  const Record other = import_of("google-benchmark", files)->record;
  EXPECT_EQ(record.fingerprint, other.fingerprint);
  EXPECT_THAT(record.environments.begin()->second.facts, testing::Contains(testing::Key("google-benchmark.build")));
}

TEST(Import, OfGoogleBenchmarkKeepsBenchmarksOfOneNameApart) {
  constexpr std::string_view kEntry =
      R"({{"name": "f", "run_name": "f", "run_type": "iteration", "family_index": {}, "repetition_index": {},
          "real_time": {}, "time_unit": "s", "iterations": 1}})";
  const auto entry = [&](int family, int repetition, const char* time) {
    return fmt::format(kEntry, family, repetition, time);
  };
  const auto read_all = [](std::vector<std::string> entries) {
    return import_of("google-benchmark",
                     {{"r.json", fmt::format(R"({{"context": {{"host_name": "a"}}, "benchmarks": [{}]}})",
                                             fmt::join(entries, ", "))}});
  };
  const auto families = read_all({entry(0, 0, "1"), entry(1, 0, "9"), entry(0, 1, "2"), entry(1, 1, "9")});
  ASSERT_TRUE(families);
  ASSERT_THAT(families->record.cases, SizeIs(1));
  EXPECT_THAT(families->record.cases.front().wall->replicates_s, ElementsAre(1, 2));
  EXPECT_THAT(families->left_out, ElementsAre("f: another one has the same name"));
  const auto twice = read_all({entry(0, 0, "1"), entry(0, 1, "2"), entry(0, 0, "9"), entry(0, 1, "9")});
  ASSERT_TRUE(twice);
  ASSERT_THAT(twice->record.cases, SizeIs(1));
  EXPECT_THAT(twice->record.cases.front().wall->replicates_s, ElementsAre(1, 2));
  EXPECT_THAT(twice->left_out, ElementsAre("f: another one has the same name"));
  const auto nothing = read_all({entry(0, 0, "NaN"), R"({"name": "g", "real_time": 1})"});
  ASSERT_TRUE(nothing);
  EXPECT_THAT(ids(nothing->record), ElementsAre("g [cpp]"));
  EXPECT_THAT(nothing->left_out, ElementsAre("f: its real_time is not a time"));
}

TEST(Import, OfGoogleBenchmarksRepetitions) {
  const Record all = read("google-benchmark", {"google_benchmark_repetitions.json"}).record;
  const Record aggregates = read("google-benchmark", {"google_benchmark_aggregates.json"}).record;
  EXPECT_EQ(ids(all), ids(aggregates));
  EXPECT_THAT(all.cases.front().wall->replicates_s, SizeIs(3));
  EXPECT_THAT(aggregates.cases.front().wall->replicates_s, SizeIs(1)) << "the median";
}

TEST(Import, OfAsv) {
  const Import import = read("asv", {"asv/results/node/a2c7efca-existing.json", "asv/results/benchmarks.json"});
  EXPECT_THAT(ids(import.record),
              ElementsAre("b.Sort.time_sort [python n=10 kind=list]", "b.Sort.time_sort [python n=1000 kind=list]",
                          "b.Sort.time_sort [python n=1000 kind=tuple]", "b.time_boom [python]", "b.time_sum [python]"))
      << "one combination does not want to be measured";
  EXPECT_THAT(import.left_out,
              ElementsAre(HasSubstr("b.mem_list"), HasSubstr("b.peakmem_big"), HasSubstr("b.track_size")));
  EXPECT_EQ(import.record.cases[1].wall->median_s, 8.19200067780912e-06);
  EXPECT_EQ(import.record.cases[3].failure->message, "it failed");
  EXPECT_EQ(import.record.source->commit, "a2c7efcac1b04c242d5ea0a40b39798efe605572");
  const Record alone = read("asv", {"asv/results/node/a2c7efca-existing.json"}).record;
  EXPECT_EQ(alone.cases.front().params.front().first, "param1") << "names are in the other file";
}

/// asv's results of one benchmark: its columns are result, params, version, samples.
File results_of_asv(std::string_view row, std::string_view env_vars = "{}") {
  return {"r.json", fmt::format(R"({{"version": 2, "commit_hash": "{}", "env_vars": {},
    "result_columns": ["result", "params", "version", "samples"], "results": {{"b.time_it": {}}}}})",
                                std::string(40, 'a'), env_vars, row)};
}

TEST(Import, OfAsvKeepsFailedApartFromSkipped) {
  const auto import = import_of("asv", {results_of_asv(R"([[1.5, null, NaN], [["1", "2", "3"]]])")});
  ASSERT_TRUE(import);
  EXPECT_THAT(ids(import->record), ElementsAre("b.time_it [python param1=1]", "b.time_it [python param1=2]"));
  EXPECT_EQ(import->record.cases[0].status, CaseStatus::ok);
  EXPECT_EQ(import->record.cases[1].status, CaseStatus::failed);
  EXPECT_EQ(import->record.cases[1].failure->message, "it failed");
}

TEST(Import, OfAsvInAnotherVersionIsAnotherDefinition) {
  const auto definition = [](std::string_view version) {
    return import_of("asv", {results_of_asv(fmt::format(R"([[1.5], [], "{}"])", version))})
        ->record.cases.front()
        .definition.digest;
  };
  EXPECT_EQ(definition("1"), definition("1"));
  EXPECT_NE(definition("1"), definition("2"));
  EXPECT_NE(definition("1"), definition(""));
}

TEST(Import, OfAsvInAnotherConfigurationIsAnotherEnvironment) {
  const auto fingerprint = [](std::string_view variables) {
    return import_of("asv", {results_of_asv("[[1.5], []]", variables)})->record.fingerprint.environment;
  };
  EXPECT_EQ(fingerprint(R"({"THREADS": "1"})"), fingerprint(R"({"THREADS": "1"})"));
  EXPECT_NE(fingerprint(R"({"THREADS": "1"})"), fingerprint(R"({"THREADS": "4"})"));
  EXPECT_NE(fingerprint(R"({"THREADS": "1"})"), fingerprint("{}"));
}

TEST(Import, OfCriterion) {
  const Import import =
      read("criterion",
           {"criterion/fib/new/benchmark.json", "criterion/fib/new/sample.json", "criterion/lone/new/benchmark.json"},
           {.started = "2026-01-31T12:00:00Z"});
  EXPECT_THAT(ids(import.record), ElementsAre("fib%2Fiterative%2F20 [command]"));
  EXPECT_THAT(import.record.cases.front().wall->replicates_s, Pointwise(DoubleEq(), {1e-8, 1.05e-8, 1e-8, 1.05e-8}));
  EXPECT_THAT(import.left_out, ElementsAre("criterion/lone/new: sample.json is not there"));
}

TEST(Import, OfCriterionLeavesOutWhatAnEarlierRunWrote) {
  const auto import_at = [](std::vector<std::int64_t> moments, std::int64_t committed, bool with_stale = false) {
    std::vector<File> files;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const std::string folder = fmt::format("criterion/{}/new/", i);
      files.push_back({folder + "benchmark.json", fmt::format(R"({{"full_id": "{}"}})", i), moments[i] - 1});
      files.push_back({folder + "sample.json", R"({"iters": [1], "times": [5]})", moments[i]});
    }
    const ImportContext context{.committed = committed, .with_stale = with_stale};
    auto import = import_results(*import_format("criterion"), files, context);
    EXPECT_TRUE(import);
    return *std::move(import);
  };
  constexpr std::int64_t kNow = 1'800'000'000;
  const Import of_commit = import_at({kNow, kNow - 60, kNow - 120}, kNow - 100);
  EXPECT_THAT(ids(of_commit.record), ElementsAre("0 [command]", "1 [command]"));
  EXPECT_THAT(of_commit.left_out,
              ElementsAre("criterion/2/new: written at 2027-01-15T07:58:00Z, before the commit; --stale takes it"));
  const Import of_run = import_at({kNow, kNow - 3600, kNow - 7201}, 0);
  EXPECT_THAT(ids(of_run.record), ElementsAre("0 [command]", "1 [command]"));
  EXPECT_THAT(of_run.left_out,
              ElementsAre(HasSubstr("criterion/2/new: written at 2027-01-15T05:59:59Z, by an earlier")));
  EXPECT_THAT(ids(import_at({kNow, kNow - 7201}, kNow + 1).record), SizeIs(1)) << "the pause is of the run alone";
  EXPECT_THAT(ids(import_at({kNow, kNow - 60}, kNow + 1).record), SizeIs(2)) << "measured, and then committed";
  const Import all = import_at({kNow, kNow - 7201}, kNow - 10, true);
  EXPECT_THAT(ids(all.record), SizeIs(2));
  EXPECT_THAT(all.left_out, testing::IsEmpty());
}

TEST(Import, OfNamedValues) {
  const auto import = import_of("github-action-benchmark", {{"r.json", R"([
    {"name": "a", "unit": "ms", "value": 2.5}, {"name": "b", "unit": "ns/iter", "value": 7},
    {"name": "a", "unit": "s", "value": 1}, {"name": "c", "unit": "MB", "value": 7}, {"name": "d", "unit": "ops/s", "value": 7}])"}});
  ASSERT_TRUE(import);
  EXPECT_THAT(ids(import->record), ElementsAre("a [command]", "b [command]"));
  EXPECT_EQ(import->record.cases[0].wall->median_s, 2.5e-3);
  EXPECT_DOUBLE_EQ(import->record.cases[1].wall->median_s, 7e-9);
  EXPECT_THAT(import->left_out, ElementsAre(HasSubstr("c: its unit is 'MB'"), HasSubstr("d: its unit is 'ops/s'"),
                                            HasSubstr("a: another one has the same name")));
}

TEST(Import, OfACommitThatTheCallerNames) {
  const std::string other(40, 'b');
  const Record record = read("pytest-benchmark", {"pytest_benchmark.json"}, {.suite = "ours", .commit = other}).record;
  EXPECT_EQ(record.source->commit, other);
  EXPECT_EQ(record.suite, "ours");
}

/// Whatever it is given that is none of its results: an error with the file's name, or cases that say why they failed.
TEST(Import, OfWhatIsNoResult) {
  for (const ImportFormat& format : import_formats()) {
    for (const char* text :
         {"", "{", "[]", "{}", "null", "7", R"({"results": 3})", R"({"benchmarks": {}})", R"([1, "a", null])",
          R"({"version": 2, "results": {"a.time_b": 1}, "result_columns": 3})"}) {
      const auto import = import_of(format.name, {{"new/benchmark.json", text}, {"new/sample.json", text}});
      ASSERT_FALSE(import) << format.name << ": " << text;
      EXPECT_EQ(import.error().kind, ErrorKind::input);
      EXPECT_THAT(import.error().where, HasSubstr("new/")) << format.name << ": " << text;
    }
  }
}

TEST(Import, OfTimesThatNobodyBelieves) {
  for (const char* time : {"-1", "1e300", "1e10"}) {
    const auto import = import_of(
        "hyperfine", {{"r.json", std::string(R"({"results": [{"command": "a", "times": [)") + time + "]}]}"}});
    ASSERT_TRUE(import);
    EXPECT_EQ(import->record.cases.front().status, CaseStatus::failed) << time;
  }
}

TEST(Import, OfADateBeyondNanoseconds) {
  auto files = examples({"pytest_benchmark.json"});
  const std::size_t at = files.front().text.find("\"datetime\": \"2026-");
  ASSERT_NE(at, std::string::npos);
  files.front().text.replace(at, 17, "\"datetime\": \"4052");
  EXPECT_THAT(import_of("pytest-benchmark", files)->record.started, HasSubstr("4052-11-28T19:07:"));
}

TEST(Import, KnowsWhatAFolderHolds) {
  const auto is_result = [](std::string_view format, std::string_view path) {
    return import_format(format)->is_result(path);
  };
  EXPECT_TRUE(is_result("asv", "results/node/abc-env.json"));
  EXPECT_FALSE(is_result("asv", "results/benchmarks.json"));
  EXPECT_FALSE(is_result("asv", "results/node/machine.json"));
  EXPECT_TRUE(is_result("criterion", "target/criterion/a/new/sample.json"));
  EXPECT_FALSE(is_result("criterion", "target/criterion/a/base/sample.json"));
  EXPECT_FALSE(is_result("hyperfine", "notes.txt"));
}

}  // namespace
}  // namespace tally::exchange
