#include "comparison/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Record run_of(std::vector<CaseRecord> cases) {
  Record record = example_record();
  record.cases = std::move(cases);
  return record;
}

Limit limit(std::string_view text) {
  const Result<Limit> parsed = parse_limit(text);
  EXPECT_TRUE(parsed) << describe(parsed.error());
  return parsed ? *parsed : Limit{};
}

TEST(Limits, Parse) {
  EXPECT_DOUBLE_EQ(limit("instructions=+1%").value, 0.01);
  EXPECT_TRUE(limit("time = 10 %").relative);
  EXPECT_FALSE(limit("allocations=12").relative);
  EXPECT_DOUBLE_EQ(limit("time=2us").value, 2e-6);
  EXPECT_EQ(parse_limit_for("a:b/*:cycles=+2%")->cases, "a:b/*");
  for (const std::string_view bad : {"instructions", "instrs=+1%", "instructions=1us", "time=2", "instructions=-1%",
                                     "instructions=+5", "=", "time=nan%"}) {
    const Result<Limit> result = parse_limit(bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_THAT(describe(result.error()), HasSubstr("write METRIC=+PERCENT%")) << bad;
  }
  EXPECT_THAT(parse_limit("instuctions=+1%").error().message, HasSubstr("did you mean 'instructions'?"));
  EXPECT_FALSE(parse_limit_for("instructions=+1%"));
}

TEST(Check, ADenoisedCountHasALimitOfItsOwn) {
  CaseRecord before = example_case("a", 1000);
  CaseRecord after = example_case("a", 1000);
  before.counts->denoised = 900;
  after.counts->denoised = 950;
  const Record base = run_of({before, example_case("b", 1000)});
  const Record next = run_of({after, example_case("b", 1000)});
  const CheckResult result = check(compare(base, next, {}), {limit("denoised=+1%")}, {}, "2026-01-01");
  ASSERT_THAT(result.findings, testing::SizeIs(1));
  EXPECT_EQ(result.findings[0].message, "denoised +5.56 % (900 → 950), limit denoised=+1%");
  EXPECT_THAT(check(compare(base, next, {}), {limit("instructions=+1%")}, {}, "2026-01-01").findings, IsEmpty());
}

TEST(Check, DenoisedCountsDecideWhereTheyAreAskedToAndThereAreSuch) {
  CaseRecord before = example_case("a", 1000);
  CaseRecord after = example_case("a", 1100);
  before.counts->denoised = 900;
  after.counts->denoised = 900;
  const Record base = run_of({before, example_case("b", 1000)});
  const Record next = run_of({after, example_case("b", 1100)});
  EXPECT_EQ(compare(base, next, {}).count(Verdict::slower), 2U);
  const Comparison denoised = compare(base, next, {.denoise = true});
  EXPECT_EQ(denoised.count(Verdict::slower), 1U) << "a case without such a count has its whole one";
  EXPECT_EQ(denoised.cases[0].id, "b");
  EXPECT_FALSE(denoised.cases[0].counts->denoised);
  EXPECT_TRUE(denoised.cases[1].counts->denoised);
  Record worse = next;
  worse.cases[0].counts->denoised = 990;
  const CheckResult result =
      check(compare(base, worse, {.denoise = true}), {limit("instructions=+1%")}, {}, "2026-01-01");
  ASSERT_THAT(result.findings, testing::SizeIs(2));
  EXPECT_EQ(result.findings[0].message, "denoised instructions +10 % (900 → 990), limit instructions=+1%");
}

TEST(Check, ExactlyAtTheLimitPassesAboveItFails) {
  const Record base = run_of({example_case("a", 1000)});
  const Record at = run_of({example_case("a", 1010)});
  const Record above = run_of({example_case("a", 1020)});
  const std::vector<Limit> limits = {limit("instructions=+1%")};
  EXPECT_THAT(check(compare(base, at, {}), limits, {}, "2026-01-01").findings, IsEmpty());
  const Comparison worse = compare(base, above, {});
  const CheckResult result = check(worse, limits, {}, "2026-01-01");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].message, "instructions +2 % (1000 → 1020), limit instructions=+1%");
  EXPECT_EQ(exit_code(worse, result), 3);
}

TEST(Check, WithinTheNoiseFloorNothingFails) {
  CaseRecord noisy = example_case("a", 1000);
  noisy.counts->floor = noise_floor(1000, {{"hash_seed=1", 1050}});
  const Record base = run_of({noisy});
  const Record next = run_of({example_case("a", 1040)});
  EXPECT_THAT(check(compare(base, next, {}), {limit("instructions=+1%")}, {}, "2026-01-01").findings, IsEmpty());
}

TEST(Check, LaterLimitsOverrideSoftOnesWarn) {
  const Record base = run_of({example_case("x/a", 1000), example_case("y/b", 1000)});
  const Record next = run_of({example_case("x/a", 1040), example_case("y/b", 1040)});
  Limit soft = limit("instructions=+0.5%");
  soft.soft = true;
  const Comparison comparison = compare(base, next, {});
  const CheckResult result =
      check(comparison, {limit("instructions=+1%"), *parse_limit_for("x/*:instructions=+5%"), soft}, {}, "2026-01-01");
  EXPECT_EQ(result.count(Severity::failure), 1U);
  EXPECT_EQ(result.count(Severity::warning), 2U);
}

TEST(Check, CeilingsNeedNoChange) {
  const Record base = run_of({example_case("a", 1000)});
  const Comparison comparison = compare(base, base, {});
  EXPECT_EQ(check(comparison, {limit("instructions=999")}, {}, "2026-01-01").count(Severity::failure), 1U);
  EXPECT_EQ(check(comparison, {limit("instructions=1000")}, {}, "2026-01-01").count(Severity::failure), 0U);
}

TEST(Check, TimeFailsOnlyWhenTheWholeIntervalDoes) {
  CaseRecord slow = example_case("a");
  for (double& sample : slow.wall->replicates_s) sample *= 1.1;
  slow.wall->median_s *= 1.1;
  const Record base = run_of({example_case("a")});
  const Record next = run_of({slow});
  const Comparison comparison = compare(base, next, {});
  EXPECT_EQ(check(comparison, {limit("time=+5%")}, {}, "2026-01-01").count(Severity::failure), 1U);
  EXPECT_EQ(check(comparison, {limit("time=+9.9%")}, {}, "2026-01-01").count(Severity::failure), 0U);
}

TEST(Check, ChangedEnvironmentSoftens) {
  const Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  next.environments["torch"].facts["cpu"] = "other";
  const Comparison comparison = compare(base, next, {});
  const CheckResult result = check(comparison, {limit("instructions=+1%")}, {}, "2026-01-01");
  EXPECT_EQ(result.count(Severity::warning), 1U);
  EXPECT_THAT(result.findings[0].message, HasSubstr("cpu: none → other"));
  EXPECT_EQ(exit_code(comparison, result), 0);
}

TEST(Check, FailedAndGoneCasesFailTheCheck) {
  const Record base = run_of({example_case("a"), example_case("b")});
  const Record next = run_of({example_case("a")});
  const Comparison comparison = compare(base, next, {});
  EXPECT_EQ(exit_code(comparison, check(comparison, {}, {}, "2026-01-01")), 1);
}

constexpr std::string_view accept_text = R"(
[[accept]]
case = "a*"
metric = "instructions"
up_to = "+12%"
reason = "correct rounding costs this"
expires = "2026-06-30"
)";

TEST(Accept, HoldsUpToItsSizeAndDay) {
  const auto accepted = parse_accept_file(accept_text, "accept.toml");
  ASSERT_TRUE(accepted) << describe(accepted.error());
  const Record base = run_of({example_case("a", 1000)});
  const Record next = run_of({example_case("a", 1100)});
  const Record worse = run_of({example_case("a", 1200)});
  const std::vector<Limit> limits = {limit("instructions=+1%")};
  const auto severity = [&](const Record& record, std::string_view today) {
    return check(compare(base, record, {}), limits, accepted->accepted, today).findings[0].severity;
  };
  EXPECT_EQ(severity(next, "2026-06-30"), Severity::accepted);
  EXPECT_EQ(severity(worse, "2026-06-30"), Severity::failure);
  EXPECT_EQ(severity(next, "2026-07-01"), Severity::failure);
  EXPECT_THAT(check(compare(base, next, {}), limits, accepted->accepted, "2026-07-01").remarks,
              ElementsAre("accept.toml:2: the acceptance of 'a*' expired on 2026-06-30"));
  EXPECT_THAT(check(compare(base, base, {}), limits, accepted->accepted, "2026-01-01").remarks,
              ElementsAre("accept.toml:2: 'a*' exceeds no limit any more; remove it"));
}

}  // namespace
}  // namespace tally
