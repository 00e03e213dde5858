#include "record/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "record/example_record.h"
#include "record/example_settings.h"

namespace tally {
namespace {

using testing::HasSubstr;

Error error_of(std::string_view text) {
  const Result<Record> record = record_from_json(text, "r.json");
  return record ? Error{} : record.error();
}

TEST(SettingsJson, EverySettingGoesThereAndBack) {
  const Settings settings = every_setting();
  const auto read = settings_from_json(settings_to_json(settings), "settings");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(*read, settings);
}

/// A record always has a number of iterations. Whether somebody requested it is known again, too.
TEST(SettingsJson, ARecordKnowsWhetherTheUsualNumberWasRequested) {
  for (const std::optional<std::uint64_t> asked :
       {std::optional<std::uint64_t>(), std::optional(kUsualIterations), std::optional<std::uint64_t>(7)}) {
    Record record = example_record();
    record.settings.iterations = asked;
    const std::string text = to_json(record);
    EXPECT_THAT(text, HasSubstr(asked == 7 ? "\"iterations\":7," : "\"iterations\":100,"));
    EXPECT_EQ(text.contains("exact_iterations"), asked == kUsualIterations);
    const Result<Record> again = record_from_json(text, "r.json");
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_EQ(again->settings.iterations, asked);
  }
}

TEST(SettingsJson, WhatARunFindsOutIsNoSetting) {
  const auto read = settings_from_json(R"({"counted_with":"callgrind"})", "settings");
  ASSERT_FALSE(read);
  EXPECT_THAT(describe(read.error()), testing::HasSubstr("unknown setting 'counted_with'"));
}

TEST(RecordJson, ReadsBackWhatItWrote) {
  Record record = example_record();
  record.cases[0].reused = "2026-01-30T12:00:00Z";
  const Result<Record> again = record_from_json(to_json(record), "r.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, KeepsWhatACommandCameTo) {
  Record record = example_record();
  CaseRecord& one = record.cases[0];
  one.processes = {{"1", "/bin/sh", "00ff", "beef", 100, one.counts->replicates.front()}};
  one.own = {"process_numbers", "tmp"};
  one.used = ResourceUse{.user_s = 0.25, .system_s = 0.125, .peak_bytes = 4096, .exit_codes = {{0, 137}}};
  const Result<Record> again = record_from_json(to_json(record), "r.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, record);
  one.processes->push_back({"1.1", "/bin/ls", "00ff", {}, 0, 1});
  EXPECT_THAT(error_of(to_json(record)).message, HasSubstr("processes: their sum is that of no replicate"));
}

TEST(RecordJson, KeepsWhatABenchmarkReports) {
  Record record = example_record();
  record.cases[0].reported = Reported{.value = -1.5, .unit = "µm"};
  const Result<Record> again = record_from_json(to_json(record), "r.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, KeepsWhatADeviceCameTo) {
  Record record = example_record();
  OnDevice device{.name = "cuda", .flush = "l2", .settings = {{{"cudnn.benchmark", "False"}}}};
  device.cards = {{.uuid = "GPU-b", .number = 1, .before = {.sm_mhz = 210}, .slowed_s = {{{"sw_power_cap", 0.5}}}},
                  {.uuid = "GPU-a", .after = {.slowed_by = {"hw_slowdown"}}}};
  device.work = DeviceWork{.executions = 3, .kernels = 2, .devices = {{0, 1}}, .cache = "warm"};
  record.cases[0].on_device = device;
  const Result<Record> again = record_from_json(to_json(record), "r.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, ACardOfAnOlderRecordIsOneOfItsCards) {
  Record record = example_record();
  record.cases[0].on_device = OnDevice{.name = "cuda"};
  const std::string text = replace_all(
      to_json(record), R"("on_device":{"name":"cuda")",
      R"("on_device":{"name":"cuda","card":{"uuid":"GPU-a","before":{"slowed_by":[]},"after":{"slowed_by":["x"]}})");
  const Result<Record> read = record_from_json(text, "r.json");
  ASSERT_TRUE(read) << describe(read.error());
  ASSERT_TRUE(read->cases[0].on_device.value().cards);
  EXPECT_EQ(*read->cases[0].on_device->cards,
            (std::vector<CardWatch>{{.uuid = "GPU-a", .after = {.slowed_by = {"x"}}}}));
  EXPECT_THAT(to_json(*read), HasSubstr(R"("cards":[{"uuid":"GPU-a")"));
}

TEST(RecordJson, OneCaseIsOneLine) {
  CaseRecord record = example_record().cases[1];
  record.failure->message = "first\nsecond";
  const std::string line = case_to_json(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Result<CaseRecord> again = case_from_json(line, "journal:1");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, BytesThatAreNotUtf8AreReplaced) {
  CaseRecord record = example_record().cases[1];
  record.failure->message = "caf\xe9";
  const Result<CaseRecord> again = case_from_json(case_to_json(record), "journal:1");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->failure->message, "caf\xef\xbf\xbd");
}

TEST(RecordJson, UnknownSchemaIsRefusedWithTheHint) {
  const Error error = error_of(R"({"schema": 7})");
  EXPECT_EQ(describe(error),
            "r.json: record schema 7 is newer than this tally, which reads 1 to 2; read it with the version of tally "
            "that wrote it, or measure again with this one");
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_THAT(error_of(R"({"schema": "1"})").message, HasSubstr("not known"));
}

TEST(RecordJson, ACaseOfNoMachineIsRefused) {
  Record record = example_record();
  record.cases[1].machine = 1;
  EXPECT_EQ(error_of(to_json(record)).message, "cases[1].machine: there is no machine 1");
  record.machines.clear();
  EXPECT_EQ(error_of(to_json(record)).message, "cases[0].machine: there is no machine 0");
}

/// As the version before wrote it: one machine, and every axis in the ids.
std::string as_schema_1(const Record& record, const std::vector<std::string>& ids) {
  Record old = record;
  for (std::size_t i = 0; i < ids.size(); ++i) old.cases[i].id = ids[i];
  std::string text = replace_all(to_json(old), "\"schema\": 2", "\"schema\": 1");
  text = replace_all(replace_all(text, "\"machine\":0,", ""), "\"machines\": [{", "\"machine\": {");
  return replace_all(text, "\"architecture\":\"x86_64\"}]", "\"architecture\":\"x86_64\"}");
}

TEST(RecordJson, Schema1IsReadAsWhatItWouldBeToday) {
  const Record record = example_record();
  const std::string old = as_schema_1(record, {"Pointwise/add [cpp eager forward threads=1 n=64 k=4]",
                                               "Pointwise/add [python eager forward threads=1]"});
  ASSERT_THAT(old, HasSubstr("\"machine\": {"));
  const Result<Record> read = record_from_json(old, "r.json");
  ASSERT_TRUE(read) << describe(read.error());
  Record expected = record;
  expected.cases[1].id = "Pointwise/add [python n=64 k=4]";  // By its facts, whatever its name said.
  EXPECT_EQ(*read, expected);
}

TEST(RecordJson, TheProcessorIsNoFactOfCounts) {
  Record older = example_record();
  older.environments["torch"].facts.insert({{"cpu", "A"}, {"cpu.flags", "f"}, {"glibc.dispatch", "d"}});
  const auto read = record_from_json(to_json(older), "r.json");
  ASSERT_TRUE(read) << describe(read.error());
  const Environment& environment = read->environments.at("torch");
  EXPECT_EQ(environment.facts, example_record().environments.at("torch").facts);
  ASSERT_TRUE(environment.machine);
  EXPECT_EQ(environment.machine->size(), 3U);
  EXPECT_EQ(record_from_json(to_json(*read), "r.json"), *read);
}

TEST(RecordJson, WhatOnlySchema1DistinguishedStaysApart) {
  Record record = example_record();
  record.cases[1] = record.cases[0];
  record.cases[1].runtime = record.cases[1].autograd = "explicit";
  const std::string timer = "Pointwise/add [cpp explicit explicit threads=1 n=64 k=4]";
  const Result<Record> read =
      record_from_json(as_schema_1(record, {"Pointwise/add [cpp eager forward threads=1 n=64 k=4]", timer}), "r.json");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->cases[0].id, "Pointwise/add [cpp n=64 k=4]");
  EXPECT_EQ(read->cases[1].id, timer);
  EXPECT_THAT(error_of(as_schema_1(record, {timer, timer})).message, HasSubstr("stands there twice"));
}

TEST(RecordJson, DamageIsNamedByItsPlace) {
  const std::string good = to_json(example_record());
  const auto damaged = [&](std::string_view from, std::string_view to) {
    const std::string text = replace_all(good, from, to);
    EXPECT_NE(text, good) << from;
    return error_of(text).message;
  };
  EXPECT_EQ(damaged("\"iterations\":100,\"spread\"", "\"iterations\":-1,\"spread\""),
            "cases[0].counts.iterations: must be a whole number, 0 or more");
  EXPECT_EQ(damaged("\"status\":\"crashed\"", "\"status\":\"fine\""),
            "cases[1].status: must be one of ok, failed, timeout, crashed, skipped");
  EXPECT_EQ(damaged("\"language\":\"python\"", "\"language\":\"ruby\""),
            "cases[1].language: 'ruby' is not one of python, cpp, command");
  EXPECT_EQ(damaged("\"median_s\":", "\"median\":"), "cases[0].wall.median_s: missing");
  EXPECT_THAT(damaged("\"samples_per_child\":[2,", "\"samples_per_child\":[3,"),
              HasSubstr("cases[0].wall.samples_per_child: does not add up to the number of replicates_s"));
  EXPECT_EQ(damaged("[cpp n=64 k=4]", "[python n=64 k=4]"),
            "cases[1].id: 'Pointwise/add [python n=64 k=4]' stands there twice");
}

TEST(RecordJson, TruncationSaysWhere) {
  const std::string good = to_json(example_record());
  const Error error = error_of(std::string_view(good).substr(0, good.size() / 2));
  EXPECT_THAT(error.message, HasSubstr("not JSON: parse error at line"));
}

TEST(RecordJson, UnknownKeysArePassedOver) {
  const std::string text = replace_all(to_json(example_record()), "\"status\":", "\"later\":{},\"status\":");
  EXPECT_TRUE(record_from_json(text, "r.json"));
}

TEST(RecordJson, MeetsThePublishedSchema) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "tally_record_schema_test.json";
  std::ofstream(file) << to_json(example_record());
  const std::string command = "/usr/bin/python3 -m jsonschema -i " + shell_quote(file.string()) + " " +
                              shell_quote(TALLY_SOURCE_DIR "/schema/record-2.schema.json") + " 2>/dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  // The schema is strict: a key of ours that it does not know is a mistake in one of the two.
  std::ofstream(file) << replace_all(to_json(example_record()), "\"status\":", "\"later\":{},\"status\":");
  EXPECT_NE(WEXITSTATUS(std::system(command.c_str())), 0);
  std::filesystem::remove(file);
}

TEST(RecordJson, WhatAPartSaysOfItsPlacesIsChecked) {
  Record record = example_record();
  record.part = Part{.index = 2, .count = 3, .digest = "d", .cases = 9, .places = {{1, 4}}, .missing = {}};
  const auto again = record_from_json(to_json(record), "r.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, record);
  const auto wrong = [&](const std::function<void(Part&)>& change) {
    Record other = record;
    change(*other.part);
    return error_of(to_json(other)).message;
  };
  EXPECT_THAT(wrong([](Part& part) { part.index = 4; }), HasSubstr("part.index: there are 3 parts"));
  EXPECT_THAT(wrong([](Part& part) { part.count = 0; }), HasSubstr("part.count"));
  EXPECT_THAT(wrong([](Part& part) { part.places = {{4, 1}}; }), HasSubstr("part.places: must rise"));
  EXPECT_THAT(wrong([](Part& part) { part.places = {{1}}; }), HasSubstr("part.places: of 1 cases, and there are 2"));
  EXPECT_THAT(wrong([](Part& part) { part.places = {{1, 9}}; }), HasSubstr("part.places: the plan has 9 cases"));
  EXPECT_THAT(wrong([](Part& part) { part.places.reset(); }), HasSubstr("part.cases: of 9 cases, and there are 2"));
  EXPECT_THAT(wrong([](Part& part) { part.missing = {{4}}; }), HasSubstr("part.missing"));
  record.cases[0].environment = "nowhere";
  EXPECT_THAT(error_of(to_json(record)).message, HasSubstr("there is no environment 'nowhere'"));
}

}  // namespace
}  // namespace tally
