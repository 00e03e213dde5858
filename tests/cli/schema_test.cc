#include "harness.h"

namespace tally::cli_test {
namespace {

/// What the schema says of a record in a file, by a validator that is not ours.
ProcessResult validate(const std::string& path) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  ProcessRequest request;
  request.argv = {"/usr/bin/python3", "-W", "ignore", "-m",
                  "jsonschema",       "-i", path,     TALLY_SOURCE_DIR "/schema/record-1.schema.json"};
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

}  // namespace
}  // namespace tally::cli_test
