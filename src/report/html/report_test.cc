#include "report/html/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/text.h"
#include "profile/callgrind.h"
#include "report/html/profile.h"
#include "report/text/example_comparison.h"

namespace tally {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The JSON inside the page, as a browser would find it: up to the first "</script".
json::Value data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  return json::parse(page.substr(from, page.find("</script", from) - from)).value();
}

TEST(HtmlReport, NothingFromARecordIsMarkup) {
  Record record = example_record();
  const std::string evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>{{js}}";
  record.cases[0].label = {evil};
  record.cases[0].definition.stmt = evil;
  record.cases[1].failure->message = evil;
  const std::string page = render_html_report({.record = &record, .name = evil});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(data_of(page)["cases"][0]["label"], evil);
  EXPECT_EQ(data_of(page)["name"], evil);
}

TEST(HtmlReport, AsksTheNetworkForNothing) {
  const ExampleComparison example;
  const Comparison comparison = example.compared();
  const std::string page = render_html_report({.record = &example.next, .comparison = &comparison, .name = "x"});
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(HtmlReport, GoneCasesAreShownToo) {
  const ExampleComparison example;
  const Comparison comparison = example.compared();
  const auto data = data_of(render_html_report({.record = &example.next, .comparison = &comparison, .name = "x"}));
  ASSERT_EQ(data["cases"].size(), comparison.cases.size());
  EXPECT_EQ(data["cases"].array()->back()["base"]["verdict"], "gone");
}

TEST(HtmlReport, SaysWhatWasMeasuredAndWithWhat) {
  ExampleComparison example;
  example.next.environments["torch"].facts["compiler"] = "clang 20.1.0";
  const Comparison comparison = example.compared();
  const auto alone = data_of(render_html_report({.record = &example.base, .name = "x"}));
  EXPECT_EQ(alone["run"]["source"]["text"], "1234567890 and changes that are not committed");
  EXPECT_EQ(alone["versions"][0]["name"], "compiler");
  EXPECT_EQ(alone["versions"][0]["before"], "clang 19.1.4");
  EXPECT_EQ(alone["versions"][0]["after"], "clang 19.1.4");
  const auto both = data_of(render_html_report({.record = &example.next, .comparison = &comparison, .name = "x"}));
  EXPECT_EQ(both["versions"][0]["before"], "clang 19.1.4");
  EXPECT_EQ(both["versions"][0]["after"], "clang 20.1.0");
  EXPECT_EQ(both["versions"][0]["kind"], "main");
}

TEST(HtmlReport, SaysWhichLimitAChangeIsWithin) {
  ExampleComparison example;
  example.base.cases = {labelled_case({"Tiny", "statement"}, 6)};
  example.next.cases = {labelled_case({"Tiny", "statement"}, 9)};
  const Comparison comparison = example.compared();
  const auto data = data_of(render_html_report({.record = &example.next, .comparison = &comparison, .name = "x"}));
  EXPECT_EQ(data["cases"][0]["base"]["verdict"], "same");
  EXPECT_EQ(data["cases"][0]["base"]["threshold_of"], "the floor of 5 instructions");
}

StoredProfile profile_of(const std::string& text) { return {*parse_callgrind(text), 100}; }

TEST(HtmlProfile, BothSidesShareOneTree) {
  const StoredProfile next =
      profile_of("events: Ir\nob=l\nfn=f\n1 1000\ncfn=g\ncalls=200 0\n1 3000\nfn=g\n1 3000\ntotals: 4000\n");
  const StoredProfile base =
      profile_of("events: Ir\nob=l\nfn=f\n1 1000\ncfn=h\ncalls=100 0\n1 500\nfn=h\n1 500\ntotals: 1500\n");
  const auto of = [&](std::size_t most) { return profile_json({&base, 15}, {&next, 40}, most); };
  const json::Value profile = of(100);
  EXPECT_EQ(json::to_text(profile["tree"]["total"]), "[40.0,40.0,30.0,0.0]");
  EXPECT_EQ(json::to_text(profile["tree"]["before"]), "[15.0,15.0,0.0,5.0]");
  EXPECT_EQ(json::to_text(profile["tree"]["parent"]), "[0,0,1,1]");
  EXPECT_EQ(json::to_text(profile["tree"]["function"]), "[0,1,2,3]");
  EXPECT_EQ(json::to_text(profile["functions"]["own"]), "[0.0,10.0,30.0,0.0]");
  EXPECT_EQ(json::to_text(profile["functions"]["all"]), "[0.0,40.0,30.0,0.0]");
  EXPECT_EQ(json::to_text(profile["functions"]["calls"]), "[0.0,0.0,2.0,0.0]");
  EXPECT_EQ(json::to_text(profile["functions"]["calls_before"]), "[0.0,0.0,0.0,1.0]");
  EXPECT_EQ(json::to_text(profile["strings"]), R"(["statement","","f","l","g","h"])");
  EXPECT_EQ(profile["approximate"], false);
  EXPECT_EQ(of(2)["tree"]["total"].size(), 2U);
  EXPECT_FALSE(profile_json({}, {&next, 40}, 9)["tree"].has("before"));
}

TEST(HtmlReport, TwoHundredProfiledCasesStayUnderSixMegabytes) {
  // A wide profile: 600 functions with long C++ names, all called by one, so that its tree is quickly made.
  std::string text = "events: Ir\nob=/usr/lib/libtorch_cpu.so\nfl=x.cc\n";
  const auto name = [](int i) {
    return "at::native::some::kernel::implementation_" + std::to_string(i) + "(at::Tensor const&, long)";
  };
  std::string calls = "fn=" + name(0) + "\n1 1000\n";
  for (int i = 1; i < 600; ++i) {
    calls += "cfn=" + name(i) + "\ncalls=1 0\n1 " + std::to_string(500 + i) + "\n";
    text += "fn=" + name(i) + "\n1 " + std::to_string(500 + i) + "\n";
  }
  text += calls;
  const StoredProfile profile = profile_of(text + "totals: 600000\n");
  Record record = example_record();
  record.cases.clear();
  for (int i = 0; i < 200; ++i) {
    CaseRecord one = example_case("case " + std::to_string(i));
    std::vector<std::vector<double>> samples(5);
    for (int s = 0; s < 500; ++s) samples[static_cast<std::size_t>(s % 5)].push_back(1e-6 + 1e-10 * ((s * 7919) % 500));
    one.wall = summarize_wall({.number_per_run = 100, .by_child = samples});
    one.profile = "p";
    record.cases.push_back(one);
  }
  // The suite and a library of 3,000 lines, 150 of which each case executes.
  std::string suite;
  std::string library;
  for (int i = 0; i < 1500; ++i) suite += "stmt = 'tally::keep(at::add(a, b, " + std::to_string(i * 7919) + "));'\n";
  for (int i = 0; i < 3000; ++i)
    library += "  if (x[" + std::to_string(i * 104729 % 9973) + "] > limit) return next;\n";
  const LineLoader lines = [&](const Record& side, const CaseRecord& one) {
    KeptLines kept;
    kept.texts = {{"suite.toml", suite}, {"/src/library.cc", library}};
    kept.costs.sources = {{"suite.toml", "s"}, {"/src/library.cc", &side == &record ? "new" : "old"}};
    const std::uint64_t which = std::stoull(one.id.substr(5));
    kept.costs.lines[{"suite.toml", which * 7}] = 1000 + which;
    for (std::uint64_t i = 0; i < 150; ++i)
      kept.costs.lines[{"/src/library.cc", which * 10 + i * 7}] = 7919 * i + 31 * which + 1;
    return kept;
  };
  const Record base = record;
  const Comparison comparison = compare(base, record, {});
  const std::string page =
      render_html_report({.record = &record,
                          .comparison = &comparison,
                          .kept = {.profiles =
                                       [&](const Record&, const CaseRecord&, ProfileOf what) {
                                         return what == ProfileOf::native ? std::optional(profile) : std::nullopt;
                                       },
                                   .lines = lines},
                          .name = "x"});
  EXPECT_LT(page.size(), 6'000'000U);
  const json::Value data = data_of(page);
  EXPECT_GT(data["cases"][199]["profile"].text_or("").size(), 4'000U);
  EXPECT_GT(data["cases"][199]["lines"].text_or("").size(), 500U);
  EXPECT_EQ(data["sources"].size(), 2U) << "texts that cases share are there once";
}

}  // namespace
}  // namespace tally
