#include "report/json/comparison_json.h"

#include <gtest/gtest.h>

#include "base/golden.h"
#include "json/text.h"
#include "report/text/example_comparison.h"

namespace tally {
namespace {

TEST(ComparisonJson, HasWhatTheGateSays) {
  const ExampleComparison example;
  const Comparison comparison = example.compared();
  const std::vector<Acceptance> accepted = {
      {.cases = "<b>*", .up_to = 0.5, .reason = "agreed | *upon*", .expires = "2026-12-31", .where = "accept.toml:1"}};
  const CheckResult result = check(comparison, {*parse_limit("instructions=+1%")}, accepted, "2026-01-31");
  expect_golden("report/check.json", to_json(comparison, &result));
}

TEST(ComparisonJson, IsJsonWithoutAGate) {
  const ExampleComparison example;
  EXPECT_TRUE(json::parse(to_json(example.compared(), nullptr)));
}

}  // namespace
}  // namespace tally
