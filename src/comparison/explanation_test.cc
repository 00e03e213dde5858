#include "comparison/explanation.h"

#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

CaseComparison moved(std::vector<FunctionDelta> functions) {
  CaseComparison one;
  one.counts = CountChange{.before = 1000, .after = 1100, .threshold = 5};
  one.functions = std::move(functions);
  return one;
}

TEST(Explanation, NamesTheFewestFunctionsThatHaveMostOfIt) {
  const CaseComparison one = moved({{"x", "f", 0, 80, 1, 1}, {"x", "g", 50, 20, 3, 2}, {"x", "h", 0, 8, 0, 0}});
  const Explanation explanation = explain(one);
  ASSERT_EQ(explanation.functions.named.size(), 2U);
  EXPECT_EQ(explanation.functions.named[0].name, "g") << "it is called less often";
  EXPECT_EQ(explanation.functions.moved, 3U);
  EXPECT_DOUBLE_EQ(explanation.functions.share, 110.0 / 118);
  EXPECT_DOUBLE_EQ(explanation.functions.more, 88);
  EXPECT_DOUBLE_EQ(explanation.functions.less, -30);
  const CaseComparison nothing = moved({});
  EXPECT_TRUE(explain(nothing).functions.named.empty());
}

TEST(Explanation, CountAndTimeMayDisagree) {
  CaseComparison one = moved({});
  const auto with = [&](double after, Verdict time) {
    one.counts->after = after;
    one.time = TimeChange{.verdict = time};
    return explain(one).disagreement;
  };
  EXPECT_EQ(with(1100, Verdict::slower), Disagreement::none);
  EXPECT_EQ(with(1100, Verdict::same), Disagreement::none);
  EXPECT_EQ(with(1100, Verdict::faster), Disagreement::more_but_faster);
  EXPECT_EQ(with(900, Verdict::slower), Disagreement::fewer_but_slower);
  EXPECT_EQ(with(1003, Verdict::slower), Disagreement::time_alone);
  EXPECT_EQ(with(1003, Verdict::same), Disagreement::none);
}

TEST(Explanation, EventsAreWeighedInCycles) {
  Counts before;
  before.events = {{"Ir", 1000}, {"D1mr", 5}, {"DLmr", 1}, {"Bcm", 100}, {"Bc", 300}};
  before.estimated_cycles = estimated_cycles(before.events);
  Counts after;
  after.events = {{"Ir", 1400}, {"D1mr", 5}, {"DLmr", 3}, {"Bcm", 10}, {"Bc", 500}};
  after.estimated_cycles = estimated_cycles(after.events);
  Explanation explanation;
  explain_events(before, after, explanation);
  ASSERT_EQ(explanation.events.size(), 3U) << "what has no weight, or did not change, explains nothing";
  EXPECT_EQ(explanation.events[0].event, "Bcm");
  EXPECT_DOUBLE_EQ(explanation.events[0].cycles, -900);
  EXPECT_EQ(explanation.events[1].event, "Ir");
  EXPECT_DOUBLE_EQ(explanation.events[2].cycles, 200);
  double sum = 0;
  for (const EventChange& event : explanation.events) sum += event.cycles;
  EXPECT_DOUBLE_EQ(sum, explanation.cycles->delta());
}

}  // namespace
}  // namespace tally
