#include "serve/suite_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "definition/read_suite.h"
#include "json/text.h"
#include "plan/plan.h"

namespace tally::serve {
namespace {

using testing::HasSubstr;

MeasureRequest with_document(const std::string& text) {
  MeasureRequest request;
  request.suite.document = json::parse(text).value();
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
  request.suite.path = "here/mine.toml";
  request.suite.text = "schema = 1\nbenchmrk = 3\n";
  EXPECT_THAT(describe(suite_of(request).error()), HasSubstr("here/mine.toml:2:1: unknown key 'benchmrk'"));
}

TEST(SuiteOf, PathsAreRelativeToTheClientsFolder) {
  const auto folder = TemporaryFolder::make().value();
  std::filesystem::create_directories(folder.path() / "inner");
  ASSERT_TRUE(write_file(folder.path() / "inner/more.toml",
                         "schema = 1\n[toolchain.mine]\nextends = \"python\"\npython = [\"./bin/python\"]\n"
                         "[[timer]]\nlabel = [\"more\"]\nlanguage = \"python\"\nstmt = \"pass\"\n"));
  MeasureRequest request;
  request.caller.working_folder = folder.path().string();
  request.suite = {.text = "schema = 1\ninclude = [\"more.toml\"]\n", .document = {}, .path = "inner/mine.toml"};
  const auto suite = suite_of(request);
  ASSERT_TRUE(suite) << describe(suite.error());
  EXPECT_EQ(make_plan(*suite, {}).value().cases.at(0).label[0], "more");
  EXPECT_THAT(suite->toolchain("mine", {}).value().python.interpreters,
              testing::ElementsAre((folder.path() / "inner/bin/python").string()));
}

}  // namespace
}  // namespace tally::serve
