#include "trace/doubts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/analyse.h"
#include "trace/figures.h"
#include "trace/read_trace.h"

namespace tally::trace {
namespace {

/// One piece of work on stream 7, or a graph's launch where it has no length.
struct Piece {
  std::string name;
  std::string start, length;  ///< Microseconds, as text.
  int correlation = 0;
};

Doubts doubts_of(const std::vector<Piece>& pieces, int graph = 0) {
  std::string text = "[";
  if (graph != 0)
    text +=
        R"({"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":)" +
        std::to_string(graph) + "}},\n";
  for (const Piece& one : pieces)
    text += (text.ends_with("}") ? ",\n" : "") + std::string(R"({"ph":"X","cat":"kernel","name":")") + one.name +
            R"(","pid":0,"tid":7,"ts":)" + one.start + R"(,"dur":)" + one.length +
            R"(,"args":{"device":0,"stream":7,"correlation":)" + std::to_string(one.correlation) + "}}";
  text += "]";
  const auto source = memory_source(text);
  auto read = read_trace(*source, {.operators = true, .legacy = false});
  EXPECT_TRUE(read.has_value());
  const TraceFigures figures = analyse(*read, {});
  EXPECT_EQ(figures.devices.size(), 1U);
  return figures.devices.at(0).doubts;
}

TEST(Doubts, NamesTheWorkThatCoversOthersOfItsStream) {
  const Doubts d = doubts_of({{"a", "10", "10"}, {"bad", "30", "3400000"}, {"b", "50", "10"}, {"c", "70", "10"}});
  ASSERT_EQ(d.covering.size(), 1U);
  EXPECT_EQ(d.covering[0].name, "bad");
  EXPECT_EQ(d.covering[0].stream, "7");
  EXPECT_EQ(d.covering[0].duration, 3'400'000'000);
  EXPECT_EQ(d.covering[0].covered, 2U);
}

TEST(Doubts, LetNeighboursOverlapAndRoundingsBe) {
  EXPECT_FALSE(doubts_of({{"a", "10", "100"}, {"b", "106", "20"}}).any());           // Launched before the end.
  EXPECT_FALSE(doubts_of({{"a", "10", "10.001"}, {"b", "20.000", "0.001"}}).any());  // By a nanosecond.
  EXPECT_FALSE(doubts_of({{"a", "10", "10"}, {"none", "15", "0"}}).any());
}

TEST(Doubts, LetTheBranchesOfAGraphBe) {
  EXPECT_FALSE(doubts_of({{"a", "10", "100", 5}, {"b", "20", "10", 5}}, 5).any());
}

TEST(Doubts, SeeAStampThatWasLost) {
  const Doubts d = doubts_of({{"lost", "0", "10"}, {"a", "1769998765432100", "10"}, {"b", "1769998765432200", "10"}});
  ASSERT_TRUE(d.far_apart.has_value());
  EXPECT_EQ(d.far_apart->name, "lost");
  EXPECT_EQ(d.far_apart->before, 1U);
  EXPECT_EQ(d.far_apart->after, 2U);
}

TEST(Doubts, LetAPauseBetweenTwoStepsBe) {
  EXPECT_FALSE(doubts_of({{"a", "0", "10"}, {"b", "2000000", "10"}}).any());  // Two seconds.
}

}  // namespace
}  // namespace tally::trace
