#include "report/json/explanation_json.h"

#include <gtest/gtest.h>

#include "base/golden.h"
#include "json/text.h"
#include "report/text/explanation_text.h"

namespace tally {
namespace {

struct Example {
  CaseComparison one;
  Explanation explanation;

  Example() {
    one.id = "grow [cpp]";
    one.verdict = Verdict::slower;
    one.cause = "code";
    one.counts = CountChange{.before = 970, .after = 2432, .change = 1.507, .threshold = 5};
    one.time =
        TimeChange{.before_s = 7.87e-8, .after_s = 7e-8, .change = -0.11, .ratio = {}, .verdict = Verdict::faster};
    one.functions = {{"libc.so", "_int_free", 64, 512, 1, 8}, {"libc.so", "malloc", 41, 322, 1, 8}};
    one.path = {{{"", "", "statement"}, 0, 970, 2432}, {{"libc.so", "", "malloc"}, 0, 41, 1322}};
    one.lines = {{.at = {"/src/mylib.cc", 12},
                  .before = 820,
                  .after = 2282,
                  .text = "row.at(j | 1) = `x`;",
                  .text_before = "row[j | 1] = `x`;"},
                 {.at = {"/lib/libc.so.6", 0}, .before = 105, .after = 834, .text = {}, .text_before = {}},
                 {.at = {"/src/mylib.cc", 30}, .gone = true, .before = 400, .text = "reserve(n);", .text_before = {}},
                 {.at = {"/src/old.h", 2}, .newer = true, .before = 10, .after = 200, .text = {}, .text_before = {}}};
    AllocationDelta site;
    site.site.frames = {{"libtorch.so", "at::empty"}, {"libmylib.so", "mylib::resize"}};
    site.count_after = 1;
    site.bytes_after = 64;
    one.allocations = {site};
    explanation = explain(one);
    explanation.allocations = Shift{1, 8};
    explanation.allocated_bytes = Shift{400, 1020};
    explanation.cycles = Shift{1500, 2000};
    explanation.events = {{"Bcm", {90, 2}, -880}};
  }
};

TEST(ExplanationText, IsOneScreen) {
  const Example example;
  expect_golden("report/explanation.txt", render_explanation(example.explanation, {.width = 80}));
}

TEST(ExplanationText, AsMarkdownAndAsJson) {
  const Example example;
  expect_golden("report/explanation.md", explanation_markdown(example.explanation));
  expect_golden("report/explanation.json", json::to_text(explanation_json(example.explanation), 1));
}

TEST(ExplanationText, ACaseWithoutAnythingSaysItsVerdict) {
  CaseComparison one;
  one.id = "x [cpp]";
  EXPECT_NE(render_explanation(explain(one), {}).find("x [cpp]: same"), std::string::npos);
}

}  // namespace
}  // namespace tally
