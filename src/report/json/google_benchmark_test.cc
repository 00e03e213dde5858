#include "report/json/google_benchmark.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/golden.h"
#include "base/text.h"
#include "json/text.h"
#include "report/text/example_comparison.h"

namespace tally {
namespace {

TEST(Golden, GoogleBenchmark) {
  const ExampleComparison example;
  std::string text = to_google_benchmark(example.next);
#ifndef NDEBUG
  text = replace_all(text, R"("library_build_type": "debug")", R"("library_build_type": "release")");
#endif
  expect_golden("report/record.benchmark.json", text);
  EXPECT_TRUE(json::parse(to_google_benchmark(example.next)));
}

/// What is not known is left out, and a failure has the form that the format has for it.
TEST(Exports, GoogleBenchmarkHasWhatWasMeasured) {
  ExampleComparison example;
  Record& record = example.next;
  const auto entries = [&] {
    const auto all = json::parse(to_google_benchmark(record));
    EXPECT_TRUE(all);
    return (*all)["benchmarks"];
  };
  record.cases.resize(1);
  CaseRecord& one = record.cases[0];
  one.wall = summarize_wall({.number_per_run = 1000, .by_child = {{1e-6, 3e-6}, {4e-6, 4e-6, 4e-6}}});
  const json::Value timed = entries();
  ASSERT_EQ(timed.size(), 6U);  // two processes, mean, median, stddev, cv
  EXPECT_EQ(timed[0]["name"], json::Value(one.id));
  EXPECT_EQ(timed[0]["iterations"], json::Value(2000));
  EXPECT_DOUBLE_EQ(timed[0]["real_time"].number().value(), 2000);
  EXPECT_EQ(timed[1]["repetition_index"], json::Value(1));
  EXPECT_EQ(timed[1]["iterations"], json::Value(3000));
  EXPECT_EQ(timed[1]["instructions"].number(), one.counts->per_iteration);
  EXPECT_EQ(timed[2]["aggregate_name"], json::Value("mean"));
  EXPECT_DOUBLE_EQ(timed[2]["real_time"].number().value(), 3000);
  EXPECT_TRUE(timed[4]["instructions"].is_null()) << "a deviation of times is none of counts";
  EXPECT_NEAR(timed[5]["real_time"].number().value(), std::sqrt(2.0) / 3, 1e-9);
  one.wall.reset();
  const json::Value counted = entries();
  ASSERT_EQ(counted.size(), 1U);
  EXPECT_TRUE(counted[0]["real_time"].is_null());
  EXPECT_TRUE(counted[0]["time_unit"].is_null());
  EXPECT_EQ(counted[0]["instructions"].number(), one.counts->per_iteration);
  one.status = CaseStatus::crashed;
  EXPECT_EQ(entries()[0]["error_occurred"], json::Value(true));
}

}  // namespace
}  // namespace tally
