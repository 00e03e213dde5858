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

TEST(Explanation, NamesTheFewestLinesThatHaveMostOfItAndNotObjectsAlone) {
  CaseComparison one = moved({});
  const LineDelta line{.at = {"f.cc", 12}, .before = 10, .after = 90, .text = {}, .text_before = {}};
  const LineDelta object{.at = {"libc.so", 0}, .before = 100, .after = 80, .text = {}, .text_before = {}};
  const LineDelta least{.at = {"f.cc", 13}, .before = 10, .after = 15, .text = {}, .text_before = {}};
  one.lines = {line, object, least};
  const Explanation explanation = explain(one);
  ASSERT_EQ(explanation.lines.named.size(), 2U);
  EXPECT_EQ(explanation.lines.named[0].at.line, 12U);
  EXPECT_EQ(explanation.lines.moved, 3U);
  EXPECT_DOUBLE_EQ(explanation.lines.share, 100.0 / 105);
  EXPECT_DOUBLE_EQ(explanation.lines.more, 85);
  EXPECT_DOUBLE_EQ(explanation.lines.less, -20);
  one.lines = {object, {.at = {"f.cc", 13}, .before = 1, .after = 2, .text = {}, .text_before = {}}};
  EXPECT_EQ(explain(one).lines.moved, 0U) << "its functions say more";
}

TEST(Explanation, NamesTheFewestSitesThatHaveMostBytes) {
  const auto site = [](const char* function, double count, double bytes) {
    AllocationDelta delta;
    delta.site.frames = {{"lib.so", function}};
    delta.count_after = count;
    delta.bytes_after = bytes;
    return delta;
  };
  CaseComparison one = moved({});
  one.allocations = {site("f", 1, 1000), site("g", 7, 56), site("h", 2, 0)};
  Explanation explanation = explain(one);
  ASSERT_EQ(explanation.sites.named.size(), 1U);
  EXPECT_EQ(explanation.sites.named[0].site.frames[0].function, "f");
  EXPECT_EQ(explanation.sites.moved, 3U);
  one.allocations = {site("h", 2, 0), site("g", 1, 0)};
  EXPECT_EQ(explain(one).sites.named.size(), 2U) << "where no bytes changed, allocations count";
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
