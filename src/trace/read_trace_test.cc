#include "trace/read_trace.h"

#include <gtest/gtest.h>

#include <string>

namespace tally::trace {
namespace {

TraceData read(const std::string& text) {
  const auto source = memory_source(text);
  auto data = read_trace(*source, {.operators = true, .legacy = false});
  EXPECT_TRUE(data.has_value());
  return std::move(*data);
}

const std::string kKernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}})";

std::string with(const std::string& from, const std::string& to) {
  std::string event = kKernel;
  return "[" + event.replace(event.find(from), from.size(), to) + "]";
}

TEST(ReadTrace, ResolvesEscapesInKeysAndCategories) {
  for (const std::string& text : {with("\"ph\"", "\"\\u0070h\""), with("\"kernel\"", "\"\\u006bernel\""),
                                  with("\"stream\"", "\"s\\u0074ream\""), with("\"dur\"", "\"\\u0064ur\"")}) {
    const TraceData data = read(text);
    ASSERT_EQ(data.work.size(), 1U) << text;
    EXPECT_EQ(data.work[0].duration, 2000U) << text;
    EXPECT_EQ(data.streams.at(0).label, "7") << text;
  }
}

TEST(ReadTrace, CountsWorkThatLacksItsPhaseOrCategory) {
  for (const std::string& text : {with("\"ph\"", "\"h\""), with("\"X\"", "\"\""), with("\"cat\"", "\"at\"")}) {
    const TraceData data = read(text);
    EXPECT_EQ(data.work.size(), 0U) << text;
    EXPECT_EQ(data.reading.refused.malformed, 1U) << text;
  }
}

TEST(ReadTrace, LeavesEventsOfTheHostWithoutACategoryAlone) {
  const TraceData data = read(R"([{"ph":"X","name":"f","pid":0,"tid":7,"ts":1,"dur":2,"args":{"x":1}}])");
  EXPECT_EQ(data.reading.refused.total(), 0U);
}

TEST(ReadTrace, CountsWorkWithoutADuration) {
  const TraceData data = read(with(",\"dur\":2", ""));
  ASSERT_EQ(data.work.size(), 1U);
  EXPECT_EQ(data.reading.work_without_duration, 1U);
  EXPECT_EQ(read("[" + kKernel + "]").reading.work_without_duration, 0U);
}

TEST(ReadTrace, SaysThatAnotherDocumentFollows) {
  const std::string document = R"({"traceEvents":[)" + kKernel + "]}";
  EXPECT_EQ(read(document + document).reading.objects_after_end, 1U);
  EXPECT_EQ(read(document + "\n").reading.objects_after_end, 0U);
}

}  // namespace
}  // namespace tally::trace
