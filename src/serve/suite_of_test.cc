#include "serve/suite_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "definition/read_suite.h"
#include "json/text.h"
#include "plan/plan.h"

namespace tally::serve {
namespace {

using testing::HasSubstr;

MeasureRequest with_document(const std::string& text) {
  MeasureRequest request;
  request.document = json::parse(text).value();
  return request;
}

constexpr const char* kToml = R"toml(schema = 1
[defaults]
tags = ["all"]
timeout = "5s"
[setup.start]
py = "import math"
[toolchain.mine]
extends = "cpp"
flags = ["-O1"]
[[benchmark]]
label = ["a", "b"]
py = "math.sqrt(${n})"
cpp = "tally::keep(${n});"
setup = "start"
params = { n = [1, 2] }
[[timer]]
label = ["t"]
language = "python"
stmt = "sorted(x)"
setup = "x = [3, 1]"
iterations = 7
precision = "2 %"
)toml";

constexpr const char* kDocument = R"json({"schema": 1,
  "timer": [{"label": ["t"], "language": "python", "stmt": "sorted(x)", "setup": "x = [3, 1]", "iterations": 7,
             "precision": "2 %", "threads": null}],
  "benchmark": [{"label": ["a", "b"], "py": "math.sqrt(${n})", "cpp": "tally::keep(${n});", "setup": "start",
                 "params": {"n": [1, 2]}}],
  "toolchain": {"mine": {"extends": "cpp", "flags": ["-O1"]}},
  "setup": {"start": {"py": "import math"}},
  "defaults": {"tags": ["all"], "timeout": "5s"}})json";

TEST(SuiteOf, ADocumentIsWhatTheSameTextIs) {
  const auto suite = suite_of(with_document(kDocument));
  ASSERT_TRUE(suite) << describe(suite.error());
  const auto read = parse_suite(kToml, "suite.toml", read_suite_file);
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(plan_json(make_plan(*suite, {}).value()), plan_json(make_plan(*read, {}).value()));
}

TEST(SuiteOf, AnArrayKeepsItsOrder) {
  std::string timers;
  for (int i = 0; i < 40; ++i) {
    timers += std::string(i > 0 ? "," : "") + R"({"label":["case )" + std::to_string(i) +
              R"("],"language":"python","stmt":"pass"})";
  }
  const auto suite = suite_of(with_document(R"({"schema":1,"timer":[)" + timers + "]}"));
  ASSERT_TRUE(suite) << describe(suite.error());
  const Plan plan = make_plan(*suite, {}).value();
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(plan.cases[i].label[0], "case " + std::to_string(i));
}

TEST(SuiteOf, AMistakeHasItsPlaceInTheDocument) {
  const auto error = [](const std::string& text) {
    const auto suite = suite_of(with_document(text));
    EXPECT_FALSE(suite);
    return suite ? "" : describe(suite.error());
  };
  EXPECT_THAT(error(R"({"schema":1,"timer":[{"label":["t"],"language":"python","stmt":[1,2]}]})"),
              HasSubstr("suite.timer[0].stmt: "));
  EXPECT_THAT(error(R"({"schema":1,"benchmark":[{"labl":["t"]}]})"), HasSubstr("suite.benchmark[0].labl: unknown key"));
  EXPECT_THAT(error(R"({"schema":2})"), HasSubstr("suite.schema: this tally reads schema 1, not 2"));
  EXPECT_THAT(error("[]"), HasSubstr("the suite must be a table"));
  EXPECT_THAT(error(R"({"schema":1,"include":"not/there.toml"})"), HasSubstr("cannot include 'not/there.toml'"));
}

TEST(SuiteOf, ATextIsNamedByItsPath) {
  MeasureRequest request;
  request.path = "here/mine.toml";
  request.text = "schema = 1\nbenchmrk = 3\n";
  EXPECT_THAT(describe(suite_of(request).error()), HasSubstr("here/mine.toml:2:1: unknown key 'benchmrk'"));
}

}  // namespace
}  // namespace tally::serve
