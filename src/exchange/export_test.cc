#include "exchange/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/text.h"
#include "record/example_record.h"

namespace tally::exchange {
namespace {

TEST(Export, ToBencher) {
  Record record = example_record();
  record.cases.front().used = ResourceUse{.user_s = 1, .system_s = 2, .peak_bytes = 4096};
  const auto json = json::parse(to_bencher(record));
  ASSERT_TRUE(json);
  ASSERT_EQ(json->size(), 1U) << "the other case failed";
  const CaseRecord& one = record.cases.front();
  const json::Value& measures = (*json)[one.id];
  EXPECT_EQ(measures["instructions"]["value"].number(), one.counts->per_iteration);
  EXPECT_DOUBLE_EQ(*measures["latency"]["value"].number(), one.wall->median_s * 1e9);
  EXPECT_DOUBLE_EQ(*measures["latency"]["lower_value"].number(), one.wall->interval_s.low * 1e9);
  EXPECT_DOUBLE_EQ(*measures["latency"]["upper_value"].number(), one.wall->interval_s.high * 1e9);
  EXPECT_EQ(measures["memory"]["value"].number(), 4096);
}

TEST(Export, ToGithubActionBenchmark) {
  const Record record = example_record();
  const auto json = json::parse(to_github_action_benchmark(record));
  ASSERT_TRUE(json);
  ASSERT_EQ(json->size(), 2U);
  const CaseRecord& one = record.cases.front();
  EXPECT_EQ((*json)[0]["name"].text_or(""), one.id + " - instructions");
  EXPECT_EQ((*json)[0]["value"].number(), one.counts->per_iteration);
  EXPECT_EQ((*json)[1]["unit"].text_or(""), "ns");
  EXPECT_THAT((*json)[1]["range"].text_or(""), testing::StartsWith("± "));
}

TEST(Export, CallsEachCaseByItsOwnId) {
  Record record = example_record();
  record.cases = {record.cases.front(), record.cases.front()};
  record.cases[0].id = "s%2F8";
  record.cases[1].id = "s/8";
  record.cases[1].counts->per_iteration = 7;
  const auto json = json::parse(to_bencher(record));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->size(), 2U);
  EXPECT_EQ((*json)["s/8"]["instructions"]["value"].number(), 7);
  const auto list = json::parse(to_github_action_benchmark(record));
  ASSERT_TRUE(list);
  EXPECT_EQ((*list)[0]["name"].text_or(""), "s%2F8 - instructions");
  EXPECT_EQ((*list)[2]["name"].text_or(""), "s/8 - instructions");
}

TEST(Export, LeavesOutWhatWasNotMeasured) {
  Record record = example_record();
  record.cases.front().counts.reset();
  record.cases.front().wall.reset();
  EXPECT_EQ(json::parse(to_bencher(record))->size(), 0U);
  EXPECT_EQ(json::parse(to_github_action_benchmark(record))->size(), 0U);
}

}  // namespace
}  // namespace tally::exchange
