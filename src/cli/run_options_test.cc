#include "cli/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/usage.h"

namespace tally::cli {
namespace {

using testing::ElementsAre;

class Parsed : public testing::Test {
 protected:
  Parsed() {
    OptionSet& command = program.add_command("run", "");
    add_selection_options(command, options);
    add_run_options(command, options);
  }
  bool parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    return read_command_line(program, std::move(arguments)).has_value();
  }
  OptionSet program{.name = "tally"};
  RunOptions options;
};

TEST_F(Parsed, DefaultsMeasureBoth) {
  ASSERT_TRUE(parse({}));
  const auto settings = settings_of(options);
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings, Settings{});
}

TEST_F(Parsed, WhatIsGivenArrives) {
  ASSERT_TRUE(parse({"--counts-only",
                     "--timeout",
                     "2.5",
                     "--memory",
                     "1G",
                     "--max-wait",
                     "1.5 min",
                     "--isolation",
                     "process",
                     "--time-of-day",
                     "fixed",
                     "--entropy",
                     "system",
                     "--replicates",
                     "9",
                     "--precision",
                     "5",
                     "--min-run-time",
                     "3",
                     "--retries",
                     "0",
                     "-f",
                     "a",
                     "-f",
                     "b",
                     "--exclude",
                     "c",
                     "--shard",
                     "2/3"}));
  const auto settings = settings_of(options);
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->counts);
  EXPECT_FALSE(settings->wall);
  EXPECT_EQ(settings->timeout_s, 2.5);
  EXPECT_EQ(settings->memory_bytes, 1U << 30);
  EXPECT_EQ(settings->max_wait_s, 90);
  EXPECT_EQ(settings->isolation, "process");
  EXPECT_EQ(settings->entropy, "system");
  EXPECT_EQ(settings->time_of_day, "fixed");
  EXPECT_EQ(settings->replicates, 9);
  EXPECT_EQ(settings->precision, 0.05);
  EXPECT_EQ(settings->min_run_time_s, 3);
  EXPECT_EQ(settings->retries, 0);
  const auto selection = selection_of(options);
  ASSERT_TRUE(selection);
  EXPECT_THAT(selection->filters, ElementsAre("a", "b"));
  EXPECT_THAT(selection->excludes, ElementsAre("c"));
}

TEST_F(Parsed, ALengthOfTimeHasAUnitOrIsSeconds) {
  for (const auto& [text, seconds] : {std::pair{"30", 30.0}, {"0", 0}, {"250ms", 0.25}, {"2 s", 2}, {"1h", 3600}})
    EXPECT_EQ(parse_seconds(text, "--max-wait").value(), seconds) << text;
  for (const char* text : {"", "soon", "-1", "5 days", "25h", "nan", "1e9"})
    EXPECT_FALSE(parse_seconds(text, "--max-wait")) << text;
  EXPECT_EQ(
      describe(parse_seconds("soon", "--max-wait").error()),
      "--max-wait: 'soon' is not a length of time up to a day; write seconds, or a number with ms, s, min or h: 30s");
}

TEST_F(Parsed, WhatCannotBeMeantIsRefused) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--counts-only", "--wall-only"},
                                                {"-n", "0"},
                                                {"--replicates", "0"},
                                                {"--timeout", "0"},
                                                {"--isolation", "none"},
                                                {"--entropy", "none"},
                                                {"--time-of-day", "noon"},
                                                {"--quiet", "--verbose"},
                                                {"--color", "pink"},
                                                {"--precision", "0"}}) {
    EXPECT_FALSE(parse(wrong)) << testing::PrintToString(wrong);
  }
  options.shard = "4/3";
  EXPECT_FALSE(selection_of(options));
  options.memory = "much";
  EXPECT_FALSE(settings_of(options));
}

}  // namespace
}  // namespace tally::cli
