#include "comparison/comparison.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

/// What the schema says of a record in a file, by a validator that is not ours.
ProcessResult validate(const std::string& path) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  ProcessRequest request;
  request.argv = {"/usr/bin/python3", "-W", "ignore", "-m",
                  "jsonschema",       "-i", path,     TALLY_SOURCE_DIR "/schema/record-2.schema.json"};
  request.environment = {{"PATH", "/usr/bin:/bin"}};
  return run(runner, std::move(request));
}

TEST(Schema, WhatARunWritesIsValid) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = (folder->path() / "record.json").string();
  // Cases that fail and cases that do not, with and without times, with profiles.
  const Ran ran =
      tally({"run", suite("misbehaving"), "--filter", "first*", "--filter", "does not*", "--filter", "last*",
             "--filter", "raises*", "--profiles", "--cache-sim", "--min-run-time", "0.01", "--json", path});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const ProcessResult valid = validate(path);
  EXPECT_TRUE(succeeded(valid)) << valid.out.text() << valid.err.text();

  // The validator is no rubber stamp.
  const std::string text = *read_file(path);
  const std::string spoilt = masked(text, "\"status\": *\"ok\"", "\"status\": \"fine\"");
  ASSERT_NE(spoilt, text);
  ASSERT_TRUE(write_file(path, spoilt));
  EXPECT_FALSE(succeeded(validate(path)));
}

TEST(Schema, ARunComparesWithARecordOfSchema1) {
  const std::string data = TALLY_SOURCE_DIR "/tests/records/data/schema_1.";
  const auto text = read_file(data + "json");
  ASSERT_TRUE(text);
  const auto base = record_from_json(*text, data + "json");
  ASSERT_TRUE(base) << describe(base.error());
  Ran ran;
  const Record next =
      record_of({"run", data + "toml", "--filter", "tag=plain", "--counts-only", "--iterations", "10"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(next.cases.size(), 12U);
  const Comparison comparison = compare(*base, next, {}, {});
  for (const CaseComparison& one : comparison.cases) {
    if (one.next == nullptr) continue;
    EXPECT_NE(one.base, nullptr) << one.id;
    EXPECT_TRUE(one.counts) << one.id;  // Neither new, nor of other settings.
  }
}

}  // namespace
}  // namespace tally::cli_test
