#include "cli/check_command.h"

#include "cli/compare_command.h"
#include "cli/report_command.h"
#include "files.h"
#include "records/record_files.h"

namespace tally::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CheckCommand : public Files {
 protected:
  CheckCommandOptions options(const std::string& base, const std::string& next) {
    CheckCommandOptions result;
    result.base = base;
    result.next = next;
    return result;
  }
  int check(const CheckCommandOptions& options, const Remeasure& remeasure = nullptr, const Rebase& rebase = nullptr) {
    return run_check(context, options, remeasure, rebase, out, err);
  }
  Context context = {.now = "2026-02-10T00:00:00Z"};  // The example records are of 2026-01-31.
};

TEST_F(CheckCommand, SameIsAPassAndSlowerIsThree) {
  const std::string base = record("base.json", {example_case("a", 1000)});
  EXPECT_EQ(check(options(base, base)), 0);
  EXPECT_THAT(out.str(), HasSubstr("1 compared: pass"));
  EXPECT_EQ(check(options(base, record("slow.json", {example_case("a", 1100)}))), 3);
  EXPECT_THAT(out.str(), HasSubstr("regression: a: instructions +10 % (1000 → 1100), limit instructions=+1%"));
}

TEST_F(CheckCommand, AMissingUnreadableOrStaleBaselineIsNeverAPass) {
  const std::string next = record("next.json", {example_case("a", 1000)});
  EXPECT_EQ(check(options(path("absent.json"), next)), 2);
  EXPECT_THAT(err.str(), HasSubstr("absent.json"));
  EXPECT_EQ(check(options(write("broken.json", "{\"schema\": 1"), next)), 2);
  EXPECT_EQ(check(options(write("later.json", "{\"schema\": 3}"), next)), 2);
  EXPECT_EQ(check(options(record("other.json", {example_case("b", 1000)}), next)), 2);
  EXPECT_THAT(err.str(), HasSubstr("nothing that can be compared"));
  CheckCommandOptions old = options(next, next);
  context.now = "2026-12-01T00:00:00Z";
  EXPECT_EQ(check(old), 2);
  EXPECT_THAT(err.str(), HasSubstr("the baseline is stale: 304 days old, at most 90 are allowed"));
  old.max_age_days = 0;
  EXPECT_EQ(check(old), 0);
}

TEST_F(CheckCommand, FailedAndGoneAreOne) {
  CaseRecord failed = example_case("b");
  failed.status = CaseStatus::failed;
  failed.failure = Failure{.stage = "build", .message = "does not compile"};
  const std::string base = record("base.json", {example_case("a"), example_case("b")});
  EXPECT_EQ(check(options(base, record("next.json", {example_case("a"), failed}))), 1);
  EXPECT_THAT(out.str(), HasSubstr("failed: b: does not compile"));
  EXPECT_EQ(check(options(base, record("next.json", {example_case("a")}))), 1);
  EXPECT_THAT(out.str(), HasSubstr("gone: b"));
}

/// What was judged is the last line, whatever else is printed.
TEST_F(CheckCommand, SaysWhatItJudgedAndWhatItDidNot) {
  const auto last_line = [&] {
    const std::string text = out.str();
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  CaseRecord other = example_case("b", 1000);
  other.counts = summarize_counts({.iterations = 50, .events = {"Ir"}, .replicates = {{50700}}, .baseline = {{700}}});
  CheckCommandOptions some = options(record("base.json", {example_case("a", 1000), example_case("b", 1000)}),
                                     record("next.json", {example_case("a", 500), other, example_case("new", 3000)}));
  some.github = true;
  EXPECT_EQ(check(some), 2);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("not compared: b: iterations differ: 100 and 50"), HasSubstr("new: new"),
                               HasSubstr("better: a: instructions -50 % (1000 → 500), limit instructions=+1%"),
                               HasSubstr("besides: 1 not compared, 1 new, 1 better than a limit"),
                               HasSubstr("::error title=Benchmark not compared::b: iterations differ")));
  EXPECT_EQ(last_line(), "judged 1 of 3 cases by 1 limits\n");
  some.allow_uncompared = true;
  EXPECT_EQ(check(some), 0);
  some.limits_for = {"nothing/*:instructions=+1%"};
  EXPECT_EQ(check(some), 2);
  EXPECT_THAT(out.str(), HasSubstr("judged nothing: the limit nothing/*:instructions=+1%: it matches no case"));
  some.limits_for = {};
  some.limits = {"instructions=2000"};
  some.junit = path("out.xml");
  EXPECT_EQ(check(some), 3) << "new cases have ceilings, too";
  EXPECT_THAT(out.str(), HasSubstr("regression: new: instructions 3000, limit instructions=2000"));
  some.limits = {"cycles=+1%"};
  some.json = true;
  out.str("");
  EXPECT_EQ(check(some), 2);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("\"exit_code\": 2"), HasSubstr("\"judged\": {"), HasSubstr("\"of\": 3"),
                               HasSubstr("neither record has its 'cycles'")));
  EXPECT_THAT(read("out.xml"), HasSubstr("<failure message=\"judged nothing: "));
}

TEST_F(CheckCommand, ABaseOfTheFutureIsNone) {
  const std::string one = record("base.json", {example_case("a", 1000)});
  CheckCommandOptions early = options(one, one);
  context.now = "2025-01-01T00:00:00Z";
  EXPECT_EQ(check(early), 2);
  EXPECT_THAT(err.str(), HasSubstr("the baseline is of the future: 2026-01-31T12:00:00Z"));
}

/// A profile that is there and cannot be read is no profile that was not kept.
TEST_F(CheckCommand, ADamagedProfileIsReported) {
  CaseRecord one = example_case("a", 1000);
  one.profile = "a.profile";
  write("a.profile", "{\"schema\": 1, \"fu");
  CompareCommandOptions compare;
  compare.base = record("base.json", {one});
  compare.next = record("next.json", {example_case("a", 2000)});
  compare.functions = true;
  EXPECT_EQ(run_compare(context, compare, out, err), 0);
  EXPECT_THAT(err.str(), AllOf(HasSubstr("tally: a: its functions are left out: "), HasSubstr("a.profile")));
}

TEST_F(CheckCommand, OneCaseIsJudgedAlone) {
  const std::string base = record("base.json", {example_case("a", 1000), example_case("b", 1000), example_case("c")});
  const std::string next = record("next.json", {example_case("a", 1000), example_case("b", 1100), example_case("d")});
  const auto judge = [&](std::vector<std::string> cases) {
    out.str("");
    CheckCommandOptions some = options(base, next);
    some.cases = std::move(cases);
    return check(some);
  };
  EXPECT_EQ(judge({"a"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("1 compared: pass"));
  EXPECT_EQ(judge({"b"}), 3);
  EXPECT_EQ(judge({"a", "b"}), 3);
  EXPECT_EQ(judge({"c"}), 1);
  EXPECT_THAT(out.str(), HasSubstr("gone: c"));
  EXPECT_EQ(judge({"d"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("base.json: the baseline has no case 'd'; measure a new baseline"));
  EXPECT_EQ(judge({"e"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("neither record has a case 'e'"));
}

TEST_F(CheckCommand, ConfirmsBeforeItFails) {
  const std::string base = record("base.json", {example_case("a", 1000), example_case("b", 1000)});
  CheckCommandOptions confirm = options(base, record("next.json", {example_case("a", 1100), example_case("b", 1000)}));
  confirm.confirm = "suite.toml";
  std::vector<std::string> asked;
  const auto answering = [&asked](double per_iteration) {
    return [&asked, per_iteration](const std::string& suite, const std::vector<std::string>& ids,
                                   const Record& as) -> Result<Record> {
      EXPECT_EQ(as.cases.size(), 2U);
      EXPECT_EQ(suite, "suite.toml");
      asked = ids;
      Record record = example_record();
      record.cases = {example_case("a", per_iteration)};
      return record;
    };
  };
  EXPECT_EQ(check(confirm, answering(1000)), 0);
  EXPECT_EQ(asked, std::vector<std::string>{"a"});
  EXPECT_EQ(check(confirm, answering(1100)), 3);
}

TEST_F(CheckCommand, LimitsAcceptFileAndOutputs) {
  const std::string base = record("base.json", {example_case("a", 1000), example_case("b", 1000)});
  CheckCommandOptions all = options(base, record("next.json", {example_case("a", 1100), example_case("b", 1030)}));
  all.limits_for = {"b:instructions=+5%"};
  all.limits = {"instructions=+1%"};
  all.accept = write("accept.toml",
                     "[[accept]]\ncase = \"a\"\nmetric = \"instructions\"\nup_to = \"+10%\"\nreason = "
                     "\"agreed\"\nexpires = 2026-03-01\n");
  all.markdown = path("out.md");
  all.junit = path("out.xml");
  all.csv = path("out.csv");
  all.benchmark_json = path("out.json");
  all.github = true;
  EXPECT_EQ(check(all), 0);
  EXPECT_THAT(out.str(), HasSubstr("accepted: a:"));
  EXPECT_THAT(read("out.md"), HasSubstr("**Pass**"));
  EXPECT_THAT(read("out.xml"), HasSubstr("failures=\"0\""));
  EXPECT_THAT(read("out.csv"), HasSubstr("a,slower,unknown,1000,1100"));
  EXPECT_THAT(read("out.json"), HasSubstr("\"run_name\": \"a\""));
  all.accept = write("accept.toml", "[[accept]]\ncase = \"a\"\n");
  EXPECT_EQ(check(all), 2);
  all.accept.clear();
  EXPECT_EQ(check(all), 3);
  EXPECT_THAT(out.str(), HasSubstr("::error title=Performance regression::a: instructions +10 %25"));
  all.limits = {"speed=+1%"};
  EXPECT_EQ(check(all), 2);
}

/// A baseline of another machine: its commit is measured in this one, and judged as if it had been from the start.
TEST_F(CheckCommand, ABaseOfAnotherEnvironmentIsMeasuredInThisOne) {
  const auto elsewhere = [&](const std::string& name, double per_iteration) {
    Record record = example_record();
    record.cases = {example_case("a", per_iteration)};
    for (auto& [of, environment] : record.environments) environment.facts["compiler"] = "another";
    return write(name, to_json(record));
  };
  CheckCommandOptions all = options(elsewhere("base.json", 900), record("next.json", {example_case("a", 1100)}));
  EXPECT_EQ(check(all), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("warning: a: "), HasSubstr("softened, the environment changed: compiler"),
                               HasSubstr("tally check --rebase COMMAND builds and measures the base's commit here")));
  all.rebase = "make";
  context.now = "2026-12-01T00:00:00Z";
  std::string built_by;
  const auto answering = [&](double per_iteration) {
    return [&built_by, per_iteration](const std::string& build, const Record&, const Record&) -> Result<Rebased> {
      built_by = build;
      Record here = example_record();
      here.cases = {example_case("a", per_iteration)};
      here.started = "2026-12-01T00:00:00Z";
      return Rebased{here, {}};
    };
  };
  out.str("");
  EXPECT_EQ(check(all, nullptr, answering(1000)), 3) << err.str();
  EXPECT_EQ(built_by, "make");
  EXPECT_THAT(out.str(), AllOf(HasSubstr("regression: a: instructions +10 % (1000 → 1100)"),
                               HasSubstr("note: the base was built and measured here"), Not(HasSubstr("softened"))));
  EXPECT_EQ(check(all, nullptr, answering(1100)), 0);
  const auto failing = [](const std::string&, const Record&, const Record&) -> Result<Rebased> {
    return fail(ErrorKind::input, "could not be built");
  };
  EXPECT_EQ(check(all, nullptr, failing), 2);
  EXPECT_THAT(err.str(), HasSubstr("could not be built"));
  // In one environment there is nothing to do.
  all.base = all.next;
  all.max_age_days = 0;
  EXPECT_EQ(check(all, nullptr, failing), 0);
}

/// A record may be a stranger's: it makes us read no file but those that came with it.
TEST_F(CheckCommand, ARecordNamesNoProfileOutsideOfItsFolder) {
  for (const std::string& name : {path("elsewhere"), std::string("../elsewhere"), std::string("a/../../elsewhere")}) {
    CaseRecord one = example_case("a", 1000);
    one.profile = name;
    const auto profile = load_profile(one, path("r.json"));
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, HasSubstr("outside of the record's folder"));
  }
}

/// Another program's format instead of a page, unless a page is requested.
TEST_F(CheckCommand, ReportWritesGoogleBenchmarksJson) {
  CaseRecord counted = example_case("a", 1000);
  counted.wall.reset();
  ReportCommandOptions report{.record = record("r.json", {counted}), .benchmark_json = "-"};
  EXPECT_EQ(run_report(context, report, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("\"instructions\": 1000"));
  EXPECT_THAT(err.str(), HasSubstr("there are no times"));
  EXPECT_EQ(read("r.html"), "");
  report.benchmark_json = path("google.json");
  report.output = path("page.html");
  EXPECT_EQ(run_report(context, report, out, err), 0);
  EXPECT_THAT(read("google.json"), HasSubstr("\"benchmarks\""));
  EXPECT_THAT(read("page.html"), HasSubstr("<html"));
}

using CompareCommand = CheckCommand;

TEST_F(CompareCommand, ComparesAndRefusesWithExitCodes) {
  CompareCommandOptions compare;
  compare.base = record("base.json", {example_case("a", 1000)});
  compare.next = record("next.json", {example_case("a", 1100)});
  EXPECT_EQ(run_compare(context, compare, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("+10 %"));
  compare.functions = true;
  EXPECT_EQ(run_compare(context, compare, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("no profiles on both sides"));
  compare.next = path("absent.json");
  EXPECT_EQ(run_compare(context, compare, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("absent.json"));
}

TEST_F(CompareCommand, FunctionsComeFromTheProfilesBesideTheRecords) {
  const auto side = [&](const std::string& name, int cost) {
    CaseRecord one = example_case("a", cost);
    one.profile = name + ".profile";
    write(name + ".profile", "events: Ir\nob=/lib/libx.so\nfl=x.cc\nfn=work\n1 " + std::to_string(cost) +
                                 "\ntotals: " + std::to_string(cost) + "\n");
    return record(name + ".json", {one});
  };
  CompareCommandOptions compare;
  compare.base = side("before", 1000);
  compare.next = side("after", 1500);
  compare.functions = true;
  EXPECT_EQ(run_compare(context, compare, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr("+500   1,000  1,500         libx.so  work"));
}

}  // namespace
}  // namespace tally::cli
