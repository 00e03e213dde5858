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
  EXPECT_EQ(limit("time = 10 %").kind, Limit::Kind::share);
  EXPECT_EQ(limit("allocations=12").kind, Limit::Kind::ceiling);
  EXPECT_EQ(limit("instructions=+500").kind, Limit::Kind::amount);
  EXPECT_DOUBLE_EQ(limit("instructions=+500").value, 500);
  EXPECT_DOUBLE_EQ(limit("instructions=+0").value, 0);
  EXPECT_DOUBLE_EQ(limit("time=+2us").value, 2e-6);
  EXPECT_DOUBLE_EQ(limit("time=2us").value, 2e-6);
  EXPECT_EQ(parse_limit_for("a:b/*:cycles=+2%")->cases, "a:b/*");
  for (const std::string_view bad : {"instructions", "instrs=+1%", "instructions=1us", "time=2", "instructions=-1%",
                                     "instructions=-500", "time=+5", "=", "time=nan%"}) {
    const Result<Limit> result = parse_limit(bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_THAT(describe(result.error()), HasSubstr("write METRIC=+PERCENT%")) << bad;
  }
  EXPECT_THAT(parse_limit("instuctions=+1%").error().message, HasSubstr("did you mean 'instructions'?"));
  EXPECT_FALSE(parse_limit_for("instructions=+1%"));
}

/// Kernels are counted exactly, and their time lies within an interval: what is beyond it on both sides is more.
TEST(Check, WhatADeviceDoesHasLimitsOfItsOwn) {
  const auto on_device = [](double kernels, double time_s, double reach_s) {
    CaseRecord one = example_case("a", 1000);
    one.on_device = OnDevice{.name = "cuda"};
    one.on_device->work = DeviceWork{.kernels = kernels,
                                     .kernel_time_s = time_s,
                                     .kernel_time_interval_s = {time_s - reach_s, time_s + reach_s},
                                     .by_name = {{.name = "add", .count = kernels, .time_s = time_s}}};
    return one;
  };
  const auto message = [&](const CaseRecord& before, const CaseRecord& after, std::string_view text) {
    const Record base = run_of({before});
    const Record next = run_of({after});
    const CheckResult result = check(compare(base, next, {}), {limit(text)}, {}, "2026-01-01");
    return result.findings.empty() ? std::string() : result.findings[0].message;
  };
  EXPECT_EQ(message(on_device(7, 1e-4, 1e-7), on_device(9, 1e-4, 1e-7), "kernels=+0"),
            "kernels +28.6 % (7 → 9), limit kernels=+0");
  EXPECT_EQ(message(on_device(7, 1e-4, 1e-7), on_device(7, 1e-4, 1e-7), "kernels=+0"), "");
  EXPECT_EQ(message(on_device(7, 1e-4, 1e-7), on_device(7, 1.05e-4, 1e-7), "device_time=+3%"),
            "device_time +5 % (100 µs → 105 µs), limit device_time=+3%");
  EXPECT_EQ(message(on_device(7, 1e-4, 2e-6), on_device(7, 1.05e-4, 2e-6), "device_time=+3%"), "") << "within noise";
  const auto cold = [&](double time_s) {
    CaseRecord one = on_device(7, time_s, 1e-7);
    one.on_device->flush = "l2";
    return one;
  };
  EXPECT_EQ(message(cold(1e-4), cold(1.05e-4), "device_time=+3%"),
            "device_time of a warm cache +5 % (100 µs → 105 µs), limit device_time=+3%");
  EXPECT_THAT(describe(parse_limit("device_time=5").error()), HasSubstr("a time needs a unit"));
}

/// What another card or another unit makes of a figure is no change of the code's.
TEST(Check, WhatIsOfAnotherDeviceOrInAnotherUnitIsNotJudged) {
  const auto on_card = [](const std::string& card) {
    CaseRecord one = example_case("a", 1000);
    one.on_device = OnDevice{.name = "cuda"};
    one.on_device->work =
        DeviceWork{.kernels = 7, .kernel_time_s = 1e-4, .kernel_time_interval_s = {1e-4, 1e-4}, .by_name = {}};
    Record record = run_of({one});
    for (auto& [name, environment] : record.environments) environment.machine = {{"gpu", card}};
    return record;
  };
  const Record base = on_card("T4");
  const Record next = on_card("H200");
  const auto why = [](const Record& before, const Record& after, std::string_view text) {
    const CheckResult result = check(compare(before, after, {}), {limit(text)}, {}, "2026-01-01");
    return result.uncompared.empty() ? std::string() : result.uncompared[0].why;
  };
  EXPECT_EQ(why(base, next, "device_time=+3%"), "they are of two devices (gpu: T4 → H200)");
  EXPECT_EQ(why(base, next, "kernels=+0"), "they are of two devices (gpu: T4 → H200)");
  EXPECT_EQ(why(base, base, "device_time=+3%"), "");
  CaseRecord before = example_case("a");
  before.reported = Reported{.value = 1000, .unit = "ms"};
  CaseRecord after = before;
  after.reported = Reported{.value = 2, .unit = "s"};
  EXPECT_EQ(why(run_of({before}), run_of({after}), "value=+5%"), "its value was in 'ms' and is in 's'");
}

/// A change that makes the work vary must not raise the threshold that it would be held against.
TEST(Check, AChangeThatVaryingCountsHideIsNotJudged) {
  const auto counted = [](std::uint64_t one, std::uint64_t other) {
    CaseRecord record = example_case("a");
    record.counts = summarize_counts({.iterations = 100,
                                      .events = {"Ir"},
                                      .replicates = {{one * 100 + 700}, {other * 100 + 700}},
                                      .baseline = {{700}}});
    return run_of({record});
  };
  const auto judge = [&](const Record& next) {
    const Record base = counted(1'000'000, 1'000'000);
    const Comparison comparison = compare(base, next, {});
    const CheckResult result = check(comparison, {limit("instructions=+1%")}, {}, "2026-01-01");
    return exit_code(comparison, result);
  };
  EXPECT_EQ(judge(counted(1'000'000, 1'200'000)), 2);
  EXPECT_EQ(judge(counted(1'000'000, 1'001'000)), 0) << "it varies by less than the limit";
  EXPECT_EQ(judge(counted(2'000'000, 2'001'000)), 3);
}

TEST(Check, MoreKernelsAreNamedWhereACaseIsComparedOtherwiseTheSame) {
  const auto on_device = [](std::vector<DeviceKernel> kernels) {
    CaseRecord one = example_case("a", 1000);
    one.on_device = OnDevice{.name = "cuda"};
    one.on_device->work = DeviceWork{.by_name = std::move(kernels)};
    for (const DeviceKernel& kernel : one.on_device->work->by_name) {
      one.on_device->work->kernels += kernel.count;
      one.on_device->work->kernel_time_s += kernel.time_s;
    }
    return one;
  };
  const Record base = run_of({on_device({{"add", 1, 1e-5}, {"mul", 2, 1e-5}})});
  const Record next = run_of({on_device({{"add", 3, 4e-5}, {"mul", 2, 3e-5}})});
  const Comparison compared = compare(base, next, {});
  EXPECT_EQ(compared.cases[0].verdict, Verdict::slower);
  EXPECT_THAT(compared.cases[0].note_texts(),
              ElementsAre("kernels 3 → 5 for one execution: 2 more of add, 60 % of the difference in time"));
  EXPECT_EQ(compare(base, base, {}).cases[0].verdict, Verdict::same);
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
  next.environments["torch"].facts["cpu.offered"] = "other";
  const Comparison comparison = compare(base, next, {});
  const CheckResult result = check(comparison, {limit("instructions=+1%")}, {}, "2026-01-01");
  EXPECT_EQ(result.count(Severity::warning), 1U);
  EXPECT_THAT(result.findings[0].message, HasSubstr("cpu.offered: none → other"));
  EXPECT_EQ(exit_code(comparison, result), 0);
  const CheckResult strict =
      check(comparison, {limit("instructions=+1%")}, {}, "2026-01-01", {.any_environment = true});
  EXPECT_EQ(strict.count(Severity::failure), 1U);
  EXPECT_THAT(strict.findings[0].message, HasSubstr("; the environment changed: cpu.offered: none → other"));
  EXPECT_EQ(exit_code(comparison, strict), 3);
}

TEST(Check, FailedAndGoneCasesFailTheCheck) {
  const Record base = run_of({example_case("a"), example_case("b")});
  const Record next = run_of({example_case("a")});
  const Comparison comparison = compare(base, next, {});
  EXPECT_EQ(exit_code(comparison, check(comparison, {}, {}, "2026-01-01")), 1);
}

/// Both cases on both sides, but of the second only what `change` leaves of it.
struct Gate {
  Record base = run_of({example_case("x/a", 1000), example_case("x/b", 1000)});
  Record next = run_of({example_case("x/a", 1000), example_case("x/b", 1000)});
  Comparison comparison = {};
  CheckResult result = {};

  int hold(const std::vector<Limit>& limits, const CheckOptions& options = {}) {
    comparison = compare(base, next, {});
    result = check(comparison, limits, {}, "2026-01-01", options);
    return exit_code(comparison, result);
  }
};

TEST(Check, ACaseThatSkipsItselfInBothRunsFailsNoCheckAndOneThatWasInterruptedIsNoPass) {
  CaseRecord skipped = example_case("b");
  skipped.status = CaseStatus::skipped;
  skipped.attempts = {{.outcome = CaseStatus::failed}};
  const Record base = run_of({example_case("a"), skipped});
  const Comparison comparison = compare(base, base, {});
  EXPECT_EQ(exit_code(comparison, check(comparison, {limit("instructions=+1%")}, {}, "2026-01-01")), 0);
  skipped.attempts.clear();
  const Record interrupted = run_of({example_case("a"), skipped});
  const Comparison cut_off = compare(interrupted, interrupted, {});
  EXPECT_EQ(exit_code(cut_off, check(cut_off, {limit("instructions=+1%")}, {}, "2026-01-01")), 2);
}

TEST(Check, ACaseThatTheBaseWasInterruptedBeforeIsNotNewButNotCompared) {
  CaseRecord skipped = example_case("b");
  skipped.status = CaseStatus::skipped;
  skipped.attempts.clear();
  const Record base = run_of({example_case("a"), skipped});
  const Record next = run_of({example_case("a"), example_case("b")});
  const Comparison comparison = compare(base, next, {});
  const CheckResult result = check(comparison, {limit("instructions=+1%")}, {}, "2026-01-01");
  EXPECT_EQ(exit_code(comparison, result), 2);
  ASSERT_EQ(result.uncompared.size(), 1U);
  EXPECT_EQ(result.uncompared[0].why, "the base was interrupted before it");
}

TEST(Gate, SaysWhatEachLimitJudged) {
  Gate gate;
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), limit("time=+10%")}), 0);
  EXPECT_EQ(gate.result.judged, 2U);
  EXPECT_EQ(gate.result.cases, 2U);
  EXPECT_EQ(gate.result.limits_used(), 2U);
  EXPECT_EQ(gate.result.limits[1].judged, 2U);
}

TEST(Gate, AnAmountIsTakenAsItStands) {
  Gate gate;
  gate.next.cases[0] = example_case("x/a", 1001);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 0) << "below five instructions nothing is real of a share";
  EXPECT_EQ(gate.hold({limit("instructions=+0")}), 3);
  EXPECT_EQ(gate.result.findings[0].message, "instructions +0.1 % (1000 → 1001), limit instructions=+0");
  EXPECT_EQ(gate.hold({limit("instructions=+1")}), 0) << "at the limit";
  gate.base.cases[0].counts->floor = noise_floor(1000, {{"hash_seed=1", 1050}});
  EXPECT_EQ(gate.hold({limit("instructions=+0")}), 3) << "no floor hides what is below";
  gate.next.cases[0] = example_case("x/a", 999);
  EXPECT_EQ(gate.hold({limit("instructions=+0")}), 0);
  EXPECT_EQ(gate.result.count(Severity::better), 1U);
}

TEST(Gate, FromZeroOrLessIsFromNothing) {
  Gate gate;
  for (const double before : {0.0, -5.0}) {
    gate.base.cases[0] = example_case("x/a", before);
    gate.next.cases[0] = example_case("x/a", 14997);
    EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 3) << before;
    EXPECT_EQ(gate.result.findings[0].message, "instructions from nothing (0 → 14997), limit instructions=+1%");
    EXPECT_EQ(gate.hold({limit("instructions=+100")}), 3) << before;
    EXPECT_EQ(gate.comparison.cases[0].verdict, Verdict::slower);
  }
}

TEST(Gate, ACountBelowZeroIsNoFigure) {
  Gate gate;
  gate.next.cases[0] = example_case("x/a", -8);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2);
  ASSERT_EQ(gate.result.uncompared.size(), 1U);
  EXPECT_EQ(gate.result.uncompared[0].why, "the new count is below zero (-8), which is not a valid count");
  EXPECT_EQ(gate.hold({limit("instructions=20000")}), 2) << "nor one to hold to a ceiling";
  gate.base.cases[0] = example_case("x/a", -8);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2) << "nor the same as another";
  gate.next.cases[0] = example_case("x/a", 2);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2);
  EXPECT_THAT(gate.result.uncompared[0].why, HasSubstr("the count of the base is below zero (-8)"));
}

TEST(Gate, ALimitThatJudgedNothingIsNoPass) {
  Gate gate;
  for (CaseRecord& one : gate.base.cases) one.counts->allocations.reset();
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), limit("allocations=+1%")}), 2);
  EXPECT_EQ(gate.result.limits[1].why, "2 cases: neither record has its 'allocations'");
  EXPECT_THAT(gate.result.uncompared, IsEmpty()) << "neither side has it: that says nothing of a change";
  EXPECT_EQ(gate.hold({limit("cycles=12")}), 2) << "a ceiling, too";
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), *parse_limit_for("y/*:instructions=+5%")}), 2);
  EXPECT_EQ(gate.result.limits[1].why, "it matches no case");
  EXPECT_EQ(gate.result.limits[1].text, "y/*:instructions=+5%");
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), *parse_limit_for("y/*:instructions=+5%")}, {.others = {"y/c"}}), 0)
      << "its case is there, and not requested";
  Limit soft = limit("cycles=+1%");
  soft.soft = true;
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), soft}), 0) << "which warns at most";
  EXPECT_THAT(gate.result.limits[1].why, HasSubstr("neither record has its 'cycles'"));
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), *parse_limit_for("x/*:instructions=+5%")}), 0)
      << "another one judged in its place";
}

TEST(Gate, TheDefaultStandsForCasesThatNoOtherLimitIsAbout) {
  Gate gate;
  const Limit usual{.is_default = true, .text = "instructions=+1%"};
  gate.next.cases[0] = example_case("x/a", 1040);
  gate.next.cases[1] = example_case("x/b", 1040);
  EXPECT_EQ(gate.hold({usual, *parse_limit_for("x/b:instructions=+5%")}), 3);
  EXPECT_EQ(gate.result.count(Severity::failure), 1U);
  EXPECT_EQ(gate.hold({usual, *parse_limit_for("x/*:instructions=+5%")}), 0);
  EXPECT_EQ(gate.result.limits_used(), 1U);
}

TEST(Gate, TheDefaultIsHeldAgainstWhatACaseReports) {
  Gate gate;
  for (Record* record : {&gate.base, &gate.next}) {
    CaseRecord& one = record->cases[1];
    one.counts.reset();
    one.wall.reset();
    one.reported = Reported{.value = 100, .unit = "bytes"};
  }
  const Limit usual{.value = 0.01, .is_default = true, .text = "instructions=+1%"};
  EXPECT_EQ(gate.hold({usual}), 0);
  EXPECT_EQ(gate.result.judged, 2U);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2) << "another one says what it is about";
  gate.next.cases[1].reported->value = 102;
  EXPECT_EQ(gate.hold({usual}), 3);
  ASSERT_EQ(gate.result.findings.size(), 1U);
  EXPECT_EQ(gate.result.findings[0].message, "value +2 % (100 → 102), limit value=+1%");
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), limit("value=+5%")}), 0);
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), limit("value=101")}), 3);
}

TEST(Gate, AValueBelowZeroIsHeldByItsSize) {
  Gate gate;
  for (Record* record : {&gate.base, &gate.next}) {
    record->cases.pop_back();
    CaseRecord& one = record->cases[0];
    one.counts.reset();
    one.wall.reset();
    one.reported = Reported{.value = -10, .unit = "dB"};
  }
  gate.next.cases[0].reported->value = -1;
  EXPECT_EQ(gate.hold({limit("value=+5%")}), 3);
  ASSERT_EQ(gate.result.findings.size(), 1U);
  EXPECT_EQ(gate.result.findings[0].message, "value +90 % (-10 → -1), limit value=+5%");
  EXPECT_DOUBLE_EQ(gate.result.findings[0].change, gate.comparison.cases[0].value->change) << "as compare says";
  EXPECT_EQ(gate.hold({limit("value=+95%")}), 0);
  EXPECT_EQ(gate.hold({limit("value=+1")}), 3) << "as an amount, too";
  std::swap(gate.base, gate.next);
  EXPECT_EQ(gate.hold({limit("value=+5%")}), 0);
  EXPECT_EQ(gate.result.findings[0].message, "value -900 % (-1 → -10), limit value=+5%");
  gate.next.cases[0].reported->value = 1;
  EXPECT_EQ(gate.hold({limit("value=+5%")}), 3) << "across zero";
}

TEST(Gate, ATimeThatIsNotAboveZeroIsNotCompared) {
  for (const bool is_amount : {false, true}) {
    Gate gate;
    for (double& sample : gate.base.cases[0].wall->replicates_s) sample = -1e-10;
    gate.base.cases[0].wall->median_s = -1e-10;
    EXPECT_EQ(gate.hold({limit(is_amount ? "time=+1us" : "time=+10%")}), 2);
    ASSERT_EQ(gate.result.uncompared.size(), 1U);
    EXPECT_EQ(gate.result.uncompared[0].why, "the base's time is not above zero, and so no base of a ratio");
  }
}

TEST(Gate, WhatIsNotComparedIsNoPassUnlessItIsAllowed) {
  Gate gate;
  gate.next.cases[1].counts =
      summarize_counts({.iterations = 50, .events = {"Ir"}, .replicates = {{5000700}}, .baseline = {{700}}});
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2);
  ASSERT_EQ(gate.result.uncompared.size(), 1U);
  EXPECT_EQ(gate.result.uncompared[0].of->id, "x/b");
  EXPECT_EQ(gate.result.uncompared[0].why, "iterations differ: 100 and 50");
  EXPECT_EQ(gate.result.judged, 1U);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}, {.allow_uncompared = true}), 0);
  EXPECT_EQ(
      gate.hold({limit("instructions=+1%"), *parse_limit_for("x/b:instructions=+1%")}, {.allow_uncompared = true}), 2)
      << "a limit that judged nothing is another matter";
  EXPECT_EQ(gate.hold({limit("instructions=2000")}), 3) << "a ceiling needs the new side alone";
  gate.next.cases[1].counts.reset();
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2);
  EXPECT_EQ(gate.result.uncompared[0].why, "the new record lacks its 'instructions'");
}

TEST(Gate, ANewCaseIsReportedAndHeldToCeilings) {
  Gate gate;
  gate.next.cases.push_back(example_case("x/new", 5000));
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 0);
  EXPECT_EQ(gate.result.judged, 2U);
  EXPECT_EQ(gate.result.cases, 3U);
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), limit("instructions=4000")}), 3);
  EXPECT_EQ(gate.result.findings[0].message, "instructions 5000, limit instructions=4000");
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), *parse_limit_for("x/new:instructions=+1%")}), 2);
  EXPECT_EQ(gate.result.limits[1].why, "1 case: new");
}

TEST(Gate, BetterThanALimitIsReported) {
  Gate gate;
  gate.next.cases[0] = example_case("x/a", 500);
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 0);
  ASSERT_EQ(gate.result.findings.size(), 1U);
  EXPECT_EQ(gate.result.findings[0].severity, Severity::better);
  EXPECT_EQ(gate.result.findings[0].message, "instructions -50 % (1000 → 500), limit instructions=+1%");
  EXPECT_THAT(gate.result.remarks, ElementsAre(HasSubstr("until the new record becomes the base")));
}

TEST(Gate, WhatWasSeenComesBeforeWhatWasNot) {
  Gate gate;
  gate.next.cases[0] = example_case("x/a", 1100);
  EXPECT_EQ(gate.hold({limit("instructions=+1%"), limit("cycles=+1%")}), 3);
  EXPECT_THAT(gate.result.remarks,
              ElementsAre(HasSubstr("tally history accept 'x/a' --up-to +10.0% --reason WHY writes it into "
                                    "tally-accept.toml, and --accept tally-accept.toml takes it from there")));
  gate.next.cases.pop_back();
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 3) << "and x/b is gone";
  gate.next.cases[0] = example_case("x/a", 1000);
  EXPECT_EQ(gate.hold({limit("cycles=+1%")}), 1);
}

TEST(Gate, NoCasesAreNoPass) {
  Gate gate;
  gate.base.cases.clear();
  gate.next.cases.clear();
  EXPECT_EQ(gate.hold({limit("instructions=+1%")}), 2);
  EXPECT_THAT(gate.result.remarks, ElementsAre("neither record has a case"));
}

constexpr std::string_view kAcceptText = R"(
[[accept]]
case = "a*"
metric = "instructions"
up_to = "+12%"
reason = "correct rounding costs this"
expires = "2026-06-30"
)";

TEST(Accept, HoldsUpToItsSizeAndDay) {
  const auto accepted = parse_accept_file(kAcceptText, "accept.toml");
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
              testing::Contains("accept.toml:2: the acceptance of 'a*' expired on 2026-06-30"));
  EXPECT_THAT(check(compare(base, base, {}), limits, accepted->accepted, "2026-01-01").remarks,
              ElementsAre("accept.toml:2: 'a*' no longer exceeds a limit; remove the entry"));
}

TEST(Accept, OfACommitThatIsNotBetweenTheTwoHoldsForNothing) {
  const auto accepted = parse_accept_file(std::string(kAcceptText) + "commit = \"b74d5aef01c2\"\n", "accept.toml");
  ASSERT_TRUE(accepted) << describe(accepted.error());
  const Record base = run_of({example_case("a", 1000)});
  const Record next = run_of({example_case("a", 1100)});
  const auto finding = [&](const CheckOptions& options) {
    return check(compare(base, next, {}), {limit("instructions=+1%")}, accepted->accepted, "2026-01-01", options)
        .findings[0];
  };
  EXPECT_EQ(finding({}).severity, Severity::accepted);
  const Finding other = finding({.elsewhere = {"b74d5aef01c2"}});
  EXPECT_EQ(other.severity, Severity::failure);
  EXPECT_THAT(other.message, HasSubstr("accept.toml:2 accepts is of commit b74d5aef01c2, which is not between"));
}

}  // namespace
}  // namespace tally
