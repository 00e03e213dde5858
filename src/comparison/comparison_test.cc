#include "comparison/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/callgrind.h"
#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;

Record run_of(std::vector<CaseRecord> cases) {
  Record record = example_record();
  record.cases = std::move(cases);
  return record;
}

CaseComparison only(const Record& base, const Record& next, const ProfileLoader& profiles = nullptr) {
  const Comparison result = compare(base, next, {}, {.profiles = profiles});
  EXPECT_EQ(result.cases.size(), 1U);
  return result.cases.front();
}

CaseRecord with_floor(CaseRecord record, double low, double high) {
  record.counts->floor = noise_floor(low, {{"hash_seed=1", high}});
  return record;
}

Counts with_counts(double each, std::uint64_t iterations) {
  Counts counts = *example_case("a", each).counts;
  counts.iterations = iterations;
  return counts;
}

TEST(Compare, CountsDecideAgainstTheMeasuredFloor) {
  const Record base = run_of({with_floor(example_case("a", 10000), 10000, 10150)});
  EXPECT_EQ(only(base, run_of({example_case("a", 10140)})).verdict, Verdict::same);
  const Record slow = run_of({example_case("a", 10160)});
  const CaseComparison slower = only(base, slow);
  EXPECT_EQ(slower.verdict, Verdict::slower);
  EXPECT_TRUE(slower.counts->floor_measured);
  EXPECT_EQ(only(base, run_of({example_case("a", 9800)})).verdict, Verdict::faster);
}

TEST(Compare, WithoutAFloorTheLanguagesUsualOneStandsIn) {
  const Record base = run_of({example_case("a", 10000)});
  EXPECT_EQ(only(base, run_of({example_case("a", 10009)})).verdict, Verdict::same);
  EXPECT_EQ(only(base, run_of({example_case("a", 10020)})).verdict, Verdict::slower);
  CaseRecord python = example_case("a", 10020);
  python.language = "python";
  EXPECT_EQ(only(base, run_of({python})).verdict, Verdict::same);
}

CaseRecord reporting(double value, std::string unit = "unit") {
  CaseRecord one = example_case("a", 1);
  one.language = "python";
  one.counts.reset();
  one.wall.reset();
  one.reported = Reported{.value = value, .unit = std::move(unit)};
  return one;
}

CaseRecord with_peak(double mib) {
  CaseRecord one = reporting(0);
  one.reported.reset();
  one.used = ResourceUse{.peak_bytes = static_cast<std::uint64_t>(mib * 1024 * 1024)};
  return one;
}

TEST(Compare, WhatIsReportedDecidesWhereThereIsNothingElse) {
  const auto verdict = [](const CaseRecord& before, const CaseRecord& after) {
    const Record base = run_of({before});
    const Record next = run_of({after});
    return only(base, next).verdict;
  };
  EXPECT_EQ(verdict(reporting(100), reporting(100.9)), Verdict::same);
  EXPECT_EQ(verdict(reporting(100), reporting(102)), Verdict::slower);
  EXPECT_EQ(verdict(reporting(100), reporting(98)), Verdict::faster);
  EXPECT_EQ(verdict(reporting(0), reporting(0)), Verdict::same);
  EXPECT_EQ(verdict(reporting(0), reporting(1)), Verdict::slower);
  EXPECT_EQ(verdict(reporting(0), reporting(-1)), Verdict::faster);
  EXPECT_EQ(verdict(reporting(-100), reporting(-90)), Verdict::slower) << "it is larger";
  EXPECT_EQ(verdict(reporting(1, "s"), reporting(1, "ms")), Verdict::refused);
  EXPECT_EQ(verdict(with_peak(20), with_peak(20.9)), Verdict::same) << "no peak is known to the page";
  EXPECT_EQ(verdict(with_peak(20), with_peak(21.1)), Verdict::slower);
  EXPECT_EQ(verdict(with_peak(1000), with_peak(1005)), Verdict::same) << "half a percent";
  const Record base = run_of({reporting(8, "bytes")});
  const Record next = run_of({reporting(12, "bytes")});
  const CaseComparison one = only(base, next);
  ASSERT_TRUE(one.value);
  EXPECT_EQ(one.value->unit, "bytes");
  EXPECT_DOUBLE_EQ(one.value->change, 0.5);
}

TEST(Compare, FiveInstructionsAreNeverAChange) {
  EXPECT_EQ(only(run_of({example_case("a", 10)}), run_of({example_case("a", 14)})).verdict, Verdict::same);
  EXPECT_EQ(only(run_of({example_case("a", 10)}), run_of({example_case("a", 16)})).verdict, Verdict::slower);
}

TEST(Compare, ReplicatesThatDifferWidenTheThreshold) {
  CaseRecord noisy = example_case("a", 10000);
  noisy.counts->replicates = {1'000'000, 1'040'000};
  EXPECT_EQ(only(run_of({noisy}), run_of({example_case("a", 10150)})).verdict, Verdict::same);
}

TEST(Compare, ProcessesThatDifferAreNoiseAsFarAsTheyDo) {
  CaseRecord base = example_case("a", 10000);
  base.counts->replicates = {1'000'000, 1'000'000, 1'040'000};
  base.counts->proven = "two processes";
  EXPECT_EQ(only(run_of({base}), run_of({example_case("a", 10390)})).verdict, Verdict::same);
  base.counts->proven = "one process";
  EXPECT_EQ(only(run_of({base}), run_of({example_case("a", 10390)})).verdict, Verdict::slower);
}

TEST(Compare, AnotherVersionOfCountingIsAChangedEnvironmentAndNamed) {
  const Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  for (auto& [name, environment] : next.environments) environment.facts["counting"] = "2";
  const CaseComparison one = only(base, next);
  EXPECT_EQ(one.verdict, Verdict::changed_environment);
  EXPECT_THAT(one.environment_changes, ElementsAre("counting: none → 2"));
}

TEST(Compare, CountsOfTwoProcessorsAreComparedAndTimesAreNot) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  base.environments["torch"].machine = {{"cpu", "A"}, {"cpu.flags", "1"}};
  next.environments["torch"].machine = {{"cpu", "B"}, {"cpu.flags", "1"}};
  const CaseComparison counted = only(base, next);
  EXPECT_EQ(counted.verdict, Verdict::slower);
  EXPECT_THAT(counted.environment_changes, testing::IsEmpty());
  EXPECT_THAT(counted.machine_changes, ElementsAre("cpu: A → B"));
  EXPECT_FALSE(counted.time);
  EXPECT_THAT(counted.note_texts(), ElementsAre("times not compared: they are of two processors (cpu: A → B)"));
  next.cases[0].counts.reset();
  EXPECT_EQ(only(base, next).verdict, Verdict::refused);
  EXPECT_EQ(to_string(only(base, next).notes.at(0).code), "times_refused");
  next.environments["torch"].machine = {{"cpu", "A"}, {"cpu.flags", "of a newer kernel"}};
  EXPECT_THAT(only(base, next).environment_changes, ElementsAre("cpu.flags: 1 → of a newer kernel"));
}

TEST(Compare, TimesOfTwoCardsAreComparedForCasesOnNoDeviceAlone) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1000)});
  base.environments["torch"].machine = {{"cpu", "A"}, {"gpu", "H100"}};
  next.environments["torch"].machine = {{"cpu", "A"}, {"gpu", "H200"}};
  EXPECT_THAT(only(base, next).note_texts(), testing::IsEmpty());
  base.cases[0].on_device = next.cases[0].on_device = OnDevice{.name = "cuda"};
  EXPECT_THAT(only(base, next).note_texts(),
              ElementsAre("times not compared: they are of two devices (gpu: H100 → H200)"));
  base.environments["torch"].machine = std::map<std::string, std::string>{{"cpu", "A"}};
  EXPECT_THAT(only(base, next).note_texts(), testing::IsEmpty()) << "an earlier record does not name its card";
}

TEST(Compare, TimesWithAColdAndAWarmCacheOfTheDeviceAreNotCompared) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1000)});
  base.cases[0].on_device = next.cases[0].on_device = OnDevice{.name = "cuda"};
  next.cases[0].on_device->flush = "l2";
  const CaseComparison compared = only(base, next);
  EXPECT_FALSE(compared.time);
  EXPECT_THAT(compared.note_texts(), ElementsAre("times not compared: the device's cache is warm in the base and cold "
                                                 "(flush = \"l2\") now"));
  base.cases[0].on_device->flush = "l2";
  EXPECT_THAT(only(base, next).note_texts(), testing::IsEmpty());
}

TEST(Compare, SettingsOfTheDeviceThatDifferAreNamedAndNoChangeOfTheCode) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 2000)});
  base.cases[0].on_device = next.cases[0].on_device = OnDevice{.name = "cuda"};
  base.cases[0].on_device->settings = {{"cudnn.benchmark", "False"}, {"matmul.allow_tf32", "True"}, {"old", "1"}};
  EXPECT_EQ(only(base, next).verdict, Verdict::slower) << "an earlier record does not name any";
  next.cases[0].on_device->settings = {{"cudnn.benchmark", "False"}, {"matmul.allow_tf32", "False"}, {"new", "1"}};
  const CaseComparison compared = only(base, next);
  EXPECT_EQ(compared.verdict, Verdict::changed_environment);
  EXPECT_THAT(compared.note_texts(), ElementsAre("the device is used otherwise: matmul.allow_tf32: True → False"));
  EXPECT_THAT(compared.environment_changes, ElementsAre("matmul.allow_tf32: True → False"));
}

TEST(Compare, EnvironmentSoftensAndIsNamedSubjectDoesNot) {
  const Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  next.environments["torch"].subject["libtorch_cpu.so"] = "sha256:2";
  const CaseComparison subject = only(base, next);
  EXPECT_EQ(subject.verdict, Verdict::slower);
  EXPECT_THAT(subject.subject_changes, testing::ElementsAre("libtorch_cpu.so: sha256:1 → sha256:2"));
  EXPECT_EQ(subject.cause, "code");
  next.environments["torch"].facts["compiler"] = "clang 20";
  const CaseComparison both = only(base, next);
  EXPECT_EQ(both.verdict, Verdict::changed_environment);
  EXPECT_THAT(both.environment_changes, ElementsAre("compiler: clang 19.1.4 → clang 20"));
  EXPECT_EQ(both.cause, "code or compiler");
  const Comparison asked = compare(base, next, {.environment_softens = false});
  EXPECT_EQ(asked.cases[0].verdict, Verdict::slower);
  EXPECT_EQ(asked.cases[0].environment_changes, both.environment_changes);
}

TEST(Compare, WhereAllThatIsRecordedIsTheSameTheCauseIsUnknown) {
  const Record base = run_of({example_case("a", 1000)});
  EXPECT_EQ(only(base, run_of({example_case("a", 1100)})).cause, "unknown");
}

TEST(Compare, AnotherFolderOfThePythonEnvironmentIsNamedAndSoftensNothing) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  next.environments["torch"].machine = std::map<std::string, std::string>{{"python.folder", "/home/b/venv"}};
  EXPECT_EQ(only(base, next).cause, "unknown") << "the base does not say";
  base.environments["torch"].machine = std::map<std::string, std::string>{{"python.folder", "/home/a/venv"}};
  const CaseComparison one = only(base, next);
  EXPECT_EQ(one.verdict, Verdict::slower);
  EXPECT_EQ(one.cause, "folder");
  EXPECT_THAT(one.machine_changes, ElementsAre("python.folder: /home/a/venv → /home/b/venv"));
  next.environments["torch"].subject["libtorch_cpu.so"] = "sha256:2";
  EXPECT_EQ(only(base, next).cause, "code or folder");
}

TEST(Compare, AnotherFolderOfAProgramIsNamedUnlessItIsAsLong) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  base.environments["torch"].machine = std::map<std::string, std::string>{{"program.folder", "/home/a/project"}};
  next.environments["torch"].machine = std::map<std::string, std::string>{{"program.folder", "/home/b/project"}};
  EXPECT_EQ(only(base, next).cause, "unknown");
  next.environments["torch"].machine = std::map<std::string, std::string>{{"program.folder", "/srv/project"}};
  const CaseComparison one = only(base, next);
  EXPECT_EQ(one.verdict, Verdict::slower);
  EXPECT_EQ(one.cause, "folder");
  EXPECT_THAT(one.machine_changes, ElementsAre("program.folder: /home/a/project → /srv/project"));
}

TEST(Compare, OneDigestForManyFilesIsTakenApartWhereTheFilesAreKnown) {
  Record base = run_of({example_case("a", 1000)});
  Record next = base;
  base.environments["torch"].subject["m/**.py"] = "one";
  next.environments["torch"].subject["m/**.py"] = "two";
  EXPECT_THAT(only(base, next).subject_changes, ElementsAre("m/**.py: one → two"));
  const std::map<std::string, std::map<std::string, std::string>> known = {
      {"one", {{"a.py", "1"}, {"b.py", "1"}, {"old.py", "1"}}},
      {"two", {{"a.py", "1"}, {"b.py", "2"}, {"new.py", "2"}}}};
  CompareOptions options;
  options.files = [&](const std::string& digest) {
    const auto found = known.find(digest);
    return found == known.end() ? std::map<std::string, std::string>() : found->second;
  };
  EXPECT_THAT(compare(base, next, options).cases[0].subject_changes,
              ElementsAre("m/b.py: changed", "m/old.py: gone", "m/new.py: new"));
  next.environments["torch"].subject["m/**.py"] = "unknown here";
  EXPECT_THAT(compare(base, next, options).cases[0].subject_changes, ElementsAre("m/**.py: one → unknown here"));
}

TEST(Compare, RecordsThatDoNotSayWhatWasMappedAreNotBlamedForIt) {
  const Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  next.environments["torch"].facts["mapped.libx.so"] = "1";
  EXPECT_THAT(only(base, next).environment_changes, testing::IsEmpty());
  Record later = next;
  later.environments["torch"].facts["mapped.libx.so"] = "2";
  EXPECT_THAT(only(next, later).environment_changes, ElementsAre("mapped.libx.so: 1 → 2"));
}

TEST(Compare, AnOlderEnvironmentForBothLanguagesIsHeldAgainstWhatBothSay) {
  const Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 1100)});
  auto environment = next.environments.extract("torch");
  environment.key() = environment_name("torch", "cpp");
  environment.mapped().facts.erase("valgrind");
  environment.mapped().facts["compiler"] = "clang 20";
  environment.mapped().facts["new"] = "1";
  next.environments.insert(std::move(environment));
  EXPECT_THAT(only(base, next).environment_changes, ElementsAre("compiler: clang 19.1.4 → clang 20"));
}

TEST(Compare, DifferentSettingsAreRefusedWithTheReason) {
  const Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 2000)});
  next.cases[0].counts->iterations = 50;
  EXPECT_THAT(only(base, next).note_texts(), ElementsAre("counts not compared: iterations differ: 100 and 50"));
  EXPECT_EQ(to_string(only(base, next).notes.at(0).code), "counts_refused");
  next = run_of({example_case("a", 2000)});
  next.settings.cache_sim = true;
  EXPECT_EQ(only(base, next).verdict, Verdict::refused);
}

/// One execution that takes what the mean says shows that the mean would be the same for another number.
TEST(Compare, OtherIterationsAreComparedWhereOneExecutionTakesTheMean) {
  Record base = run_of({example_case("a", 4'000'000)});
  Record next = run_of({example_case("a", 12'000'000)});
  next.cases[0].counts->iterations = 20;
  next.cases[0].counts->one_execution = 12'000'900;
  const CaseComparison slower = only(base, next);
  EXPECT_EQ(slower.verdict, Verdict::slower);
  ASSERT_FALSE(slower.notes.empty());
  EXPECT_EQ(to_string(slower.notes[0].code), "iterations_differ");
  EXPECT_THAT(slower.notes[0].text, testing::HasSubstr("executed 100 and 20 times"));
  // The other side's word is as good, and what the two differ by is no change.
  next.cases[0].counts->one_execution.reset();
  base.cases[0].counts = with_counts(4'000'000, 100);
  base.cases[0].counts->one_execution = 4'000'010;
  EXPECT_EQ(only(base, next).verdict, Verdict::slower);
  // One that grows with its number says nothing about another number.
  base.cases[0].counts->one_execution = 3'990'000;
  EXPECT_THAT(only(base, next).note_texts(), ElementsAre("counts not compared: iterations differ: 100 and 20"));
  const Counts near = with_counts(4'000'000, 100);
  Counts far = with_counts(4'000'000, 20);
  EXPECT_EQ(doubt_of_iterations(near, far), std::nullopt);
  far.one_execution = 4'003'900;
  EXPECT_EQ(doubt_of_iterations(near, far), 3900);
  EXPECT_EQ(doubt_of_iterations(near, near), 0);
}

TEST(Compare, AChangedDefinitionIsStatedNotRefused) {
  Record next = run_of({example_case("a", 2000)});
  next.cases[0].definition.digest = "d2";
  const Record base = run_of({example_case("a", 1000)});
  const CaseComparison one = only(base, next);
  EXPECT_EQ(one.verdict, Verdict::slower);
  EXPECT_TRUE(one.definition_changed);
  EXPECT_EQ(one.cause, "definition");
}

TEST(Compare, SortedByWhatMatters) {
  CaseRecord crashed = example_case("crashed");
  crashed.status = CaseStatus::crashed;
  const Record base = run_of({example_case("same"), example_case("slow1"), example_case("slow2"), example_case("fast"),
                              example_case("gone"), crashed});
  CaseRecord failed = example_case("same2");
  failed.status = CaseStatus::failed;
  const Record next = run_of({example_case("same"), example_case("slow1", 1100), example_case("slow2", 2000),
                              example_case("fast", 500), failed, example_case("crashed")});
  std::vector<std::string> order;
  for (const CaseComparison& one : compare(base, next, {}).cases)
    order.push_back(one.id + " " + std::string(to_string(one.verdict)));
  EXPECT_THAT(order, ElementsAre("same2 failed", "gone gone", "slow2 slower", "slow1 slower", "fast faster",
                                 "crashed new", "same same"));
}

TEST(Compare, WhatIsSkippedIsGoneOnlyWhereTheBaseHasIt) {
  CaseRecord skipped = example_case("never");
  skipped.status = CaseStatus::skipped;
  skipped.attempts = {{.outcome = CaseStatus::failed}};
  CaseRecord now = skipped;
  now.id = "now";
  const Record base = run_of({example_case("same"), skipped, example_case("now")});
  const Record next = run_of({example_case("same"), skipped, now});
  const Comparison comparison = compare(base, next, {});
  ASSERT_EQ(comparison.cases.size(), 3U);
  EXPECT_EQ(comparison.cases[0].id, "now");
  EXPECT_EQ(comparison.cases[0].verdict, Verdict::gone);
  EXPECT_THAT(comparison.cases[0].note_texts(), ElementsAre("skipped in the new run"));
  EXPECT_EQ(comparison.cases[1].id, "never");
  EXPECT_EQ(comparison.cases[1].verdict, Verdict::refused);
  EXPECT_THAT(comparison.cases[1].note_texts(), ElementsAre("skipped in both runs"));
}

TEST(Compare, TimesDecideWithoutCounts) {
  CaseRecord before = example_case("a");
  before.counts.reset();
  CaseRecord after = before;
  for (double& sample : after.wall->replicates_s) sample *= 1.2;
  after.wall->median_s *= 1.2;
  const Record base = run_of({before});
  const Record next = run_of({after});
  EXPECT_EQ(only(base, base).verdict, Verdict::same);
  const CaseComparison slower = only(base, next);
  EXPECT_EQ(slower.verdict, Verdict::slower);
  EXPECT_GT(slower.time->ratio.low, 1.15);
}

StoredProfile profile_of(const std::string& costs) {
  return {*parse_callgrind("events: Ir\nob=/a/libx.so.1\nfl=x.cc\n" + costs), 100};
}

TEST(Compare, FunctionsThatMovedAreNamed) {
  const Record base = run_of({example_case("a", 1000)});
  const Record next = run_of({example_case("a", 2000)});
  const ProfileLoader profiles = [&](const Record& record, const CaseRecord&,
                                     ProfileOf what) -> std::optional<StoredProfile> {
    if (what == ProfileOf::python) return std::nullopt;
    if (&record == &base) return profile_of("fn=f\n1 60000\nfn=g\n1 40000\ntotals: 100000\n");
    return profile_of("fn=f\n1 60000\nfn=g\n1 130000\nfn=h\n1 10000\ntotals: 200000\n");
  };
  const CaseComparison one = only(base, next, profiles);
  ASSERT_EQ(one.functions.size(), 2U);
  EXPECT_EQ(one.functions[0].name, "g");
  EXPECT_EQ(one.functions[0].object, "libx.so");
  EXPECT_DOUBLE_EQ(one.functions[0].delta(), 900);
  EXPECT_DOUBLE_EQ(one.functions[1].before, 0);
}

/// A function whose own count is the same says something, too, when it is called more often.
TEST(Compare, CallsThatChangedAreNamedFirst) {
  const std::string calls = "fn=f\n1 60000\ncfn=g\ncalls=300 1\n1 500\ncfn=h\ncalls=";
  const StoredProfile before = profile_of(calls + "100 1\n1 7\nfn=g\n1 500\nfn=h\n1 7\n");
  const StoredProfile after = profile_of(calls + "200 1\n1 7\nfn=g\n1 90500\nfn=h\n1 7\n");
  const std::vector<FunctionDelta> deltas = function_deltas(before, after);
  ASSERT_EQ(deltas.size(), 2U);
  EXPECT_EQ(deltas[0].name, "g");
  EXPECT_DOUBLE_EQ(deltas[0].calls_before, 3);
  EXPECT_FALSE(deltas[0].calls_changed());
  EXPECT_EQ(deltas[1].name, "h");
  EXPECT_DOUBLE_EQ(deltas[1].delta(), 0);
  EXPECT_DOUBLE_EQ(deltas[1].calls_before, 1);
  EXPECT_DOUBLE_EQ(deltas[1].calls_after, 2);
  EXPECT_EQ(telling(deltas, 2)[0].name, "h");
  EXPECT_EQ(telling(deltas, 1)[0].name, "g") << "what is shown at all goes by size";
}

/// A program that is called otherwise in each version has the same functions.
TEST(Compare, FunctionsOfARenamedSubjectAreTheSame) {
  Record base = run_of({example_case("a", 1000)});
  Record next = run_of({example_case("a", 2000)});
  base.environments["torch"].subject = {{"bench_v1", "one"}, {"libx.so", "same"}};
  next.environments["torch"].subject = {{"bench_v2", "two"}, {"libx.so", "same"}};
  const ProfileLoader profiles = [&](const Record& record, const CaseRecord&,
                                     ProfileOf what) -> std::optional<StoredProfile> {
    if (what == ProfileOf::python) return std::nullopt;
    const std::string name = &record == &base ? "1" : "2";
    return StoredProfile{
        *parse_callgrind("events: Ir\nob=/" + name + "/bench_v" + name + "\nfn=f\n1 10\nfn=g\n1 " + name + "00\n"), 1};
  };
  const CaseComparison one = only(base, next, profiles);
  ASSERT_EQ(one.functions.size(), 1U);
  EXPECT_EQ(one.functions[0].object, "bench_v2");
  EXPECT_EQ(one.functions[0].name, "g");
  EXPECT_DOUBLE_EQ(one.functions[0].delta(), 100);
  next.environments["torch"].subject["another"] = "three";
  EXPECT_EQ(only(base, next, profiles).functions.size(), 4U) << "which of two it was is not known";
}

TEST(Compare, DispatchAndAllocatorAreNamed) {
  CaseComparison one;
  const CaseRecord record = example_case("a");
  one.next = &record;
  one.functions = {{"libc.so.6", "__memmove_avx_unaligned_erms", 0, 100},
                   {"libc.so.6", "__memmove_sse2_unaligned", 90, 0}};
  const Record base = run_of({example_case("a", 1000)});
  const Record next = run_of({example_case("a", 2000)});
  const auto with = [&](const std::string& from, const std::string& to) {
    return only(base, next,
                [&, from, to](const Record& side, const CaseRecord&, ProfileOf what) -> std::optional<StoredProfile> {
                  if (what == ProfileOf::python) return std::nullopt;
                  return StoredProfile{
                      *parse_callgrind("events: Ir\nob=/lib/libc.so.6\n" + (&side == &base ? from : to)), 1};
                });
  };
  EXPECT_EQ(
      with("fn=__memmove_sse2_unaligned\n1 90\ntotals: 90\n", "fn=__memmove_avx_unaligned_erms\n1 50\ntotals: 50\n")
          .cause,
      "library dispatch");
  EXPECT_EQ(with("fn=_int_malloc\n1 90\ntotals: 90\n", "fn=_int_malloc\n1 900\ntotals: 900\n").cause, "allocator");
}

}  // namespace
}  // namespace tally
