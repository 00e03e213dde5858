#include <cstdlib>
#include <numeric>

#include "harness.h"
#include "json/text.h"
#include "programs.h"

namespace tally::cli_test {
namespace {

using testing::HasSubstr;

Record measured(const std::string& program, std::vector<std::string> more, Ran& ran, const How& how = {}) {
  std::vector<std::string> arguments = {"run", "--program", program, "--counts-only", "--iterations", "10"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return record_of(std::move(arguments), ran, how);
}

const std::vector<std::string> kGood = {"--filter", "known_work/empty*", "--filter", "known_work/thousand*",
                                        "--filter", "known_work/fill*"};

/// In whatever way it is compiled: the empty loop that is taken off is compiled as the benchmark's own is.
TEST(Programs, KnownWorkIsReadExactlyAtEveryLevel) {
  for (const std::string compiler : {"g++", "clang++-19"}) {
    for (const std::string level : {"-O0", "-O1", "-O2", "-O3"}) {
      SCOPED_TRACE(testing::Message() << compiler << " " << level);
      const Program program({.compiler = compiler, .level = level});
      Ran ran;
      const Record record =
          measured(program.path(), {"--filter", "known_work/empty*", "--filter", "known_work/thousand*"}, ran);
      ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
      EXPECT_NEAR(case_with(record, "known_work/empty [cpp]").counts->per_iteration, 0, 1);
      const CaseRecord& nops = case_with(record, "known_work/thousand nops [cpp]");
      EXPECT_NEAR(nops.counts->per_iteration, 1000, 1);
      EXPECT_EQ(nops.counts->spread, 0);
      EXPECT_EQ(nops.counts->replicates.size(), 2U);
    }
  }
}

/// Pauses, objects made for each execution, threads, a number of executions that the function must know.
TEST(Programs, EveryFormOfLoopIsReadExactly) {
  for (const std::string level : {"-O0", "-O2"}) {
    for (const std::string compiler : {"g++", "clang++-19"}) {
      SCOPED_TRACE(testing::Message() << compiler << " " << level);
      const Program program({.source = "loops", .compiler = compiler, .level = level});
      Ran ran;
      const Record record = measured(program.path(), {}, ran);
      EXPECT_EQ(ran.code, 0) << ran.err << "to be skipped is not a failure";
      for (const CaseRecord& one : record.cases) {
        if (one.status != CaseStatus::ok) continue;
        const bool team = one.id.find("/threads") != std::string::npos;
        const bool more = one.id.find("manual") != std::string::npos || one.id.find("thrice") != std::string::npos ||
                          one.id.find("at once") != std::string::npos;
        const double expected = team ? 100'000.0 * one.threads : 1000;
        // Without optimisation the bodies have a handful of instructions more than their nops.
        const double more_at_all = level == "-O0" ? 8 : 1;
        EXPECT_NEAR(one.counts->per_iteration, expected, team ? expected / 1000 : more ? 40 : more_at_all) << one.id;
        EXPECT_LE(one.counts->spread, team ? 0.0001 : 0) << one.id;
      }
      for (const auto& [name, reason] : std::map<std::string, std::string>{
               {"loops/skips [cpp]", "has nothing to do"}, {"loops/skips within [cpp]", "found nothing to do"}}) {
        EXPECT_EQ(case_with(record, name).status, CaseStatus::skipped);
        EXPECT_THAT(case_with(record, name).warnings, testing::ElementsAre(HasSubstr(reason)));
      }
      EXPECT_EQ(case_with(record, "loops/threads [cpp threads=4]").threads, 4);
    }
  }
}

/// As flatbuffers compiles its benchmarks: std::align_val_t is then not there.
TEST(Programs, CompileWithoutAlignedNew) {
  for (const std::string compiler : {"g++", "clang++-19"}) {
    SCOPED_TRACE(compiler);
    const Program program({.source = "loops", .compiler = compiler, .level = "-fno-aligned-new"});
    Ran ran;
    const Record record = measured(program.path(), {"--filter", "loops/each*"}, ran);
    EXPECT_EQ(ran.code, 0) << ran.err;
    ASSERT_FALSE(record.cases.empty());
    for (const CaseRecord& one : record.cases) EXPECT_NEAR(one.counts->per_iteration, 1000, 8) << one.id;
  }
}

TEST(Programs, WhatValgrindCannotRunSaysWhatToDo) {
  const Program sanitized({.source = "loops", .level = "-fsanitize=address"});
  const Ran ran = tally({"run", "--program", sanitized.path(), "--counts-only", "--filter", "loops/each*"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out + ran.err, HasSubstr("build it without -fsanitize=address"));
  const Program alone({.source = "loops", .level = "-static-pie"});
  const Ran ran_alone = tally({"run", "--program", alone.path(), "--counts-only", "--filter", "loops/each*"});
  EXPECT_EQ(ran_alone.code, 1);
  EXPECT_THAT(ran_alone.out + ran_alone.err, HasSubstr("link it without -static and -static-pie"));
}

/// A heavy benchmark is executed less often than others, by what an execution takes and never by a clock.
TEST(Programs, TheNumberOfExecutionsFollowsFromTheirWork) {
  const Program program({.source = "heavy_work"});
  const auto counts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "--program", program.path(), "--counts-only"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Ran ran;
    const Record record = record_of(std::move(arguments), ran);
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return record;
  };
  const Record record = counts({});
  const auto expect = [](const Record& of, const std::string& name, std::uint64_t iterations, double each) {
    const CaseRecord& one = case_with(of, "heavy_work/" + name);
    ASSERT_TRUE(one.counts) << name;
    EXPECT_EQ(one.counts->iterations, iterations) << name;
    EXPECT_NEAR(one.counts->per_iteration, each, each / 100) << name;
  };
  expect(record, "ten million [cpp]", 20, 10'030'000);
  expect(record, "two threads [cpp threads=2]", 10, 20'060'000);
  expect(record, "its first execution [cpp]", 100, 1000);
  expect(record, "its set-up [cpp]", 100, 1000);
  EXPECT_EQ(case_with(record, "heavy_work/ten million [cpp]").counts->spread, 0);
  const Counts& chosen = *case_with(record, "heavy_work/ten million [cpp]").counts;
  ASSERT_TRUE(chosen.one_execution);
  EXPECT_NEAR(*chosen.one_execution, chosen.per_iteration, 1000);
  EXPECT_TRUE(case_with(record, "heavy_work/two threads [cpp threads=2]").counts->one_execution);
  EXPECT_FALSE(case_with(record, "heavy_work/its set-up [cpp]").counts->one_execution) << "the usual number";
  // Whoever says how often gets so many, also if that is the usual number.
  expect(counts({"--iterations", "3", "--filter", "*ten million*"}), "ten million [cpp]", 3, 10'030'000);
  expect(counts({"--iterations", "100", "--filter", "*ten million*"}), "ten million [cpp]", 100, 10'030'000);
}

/// Beside the whole count, which they add up to: what each of the threads executes.
TEST(Programs, WhatEachThreadExecutesIsReadExactly) {
  for (const std::string level : {"-O0", "-O2"}) {
    SCOPED_TRACE(level);
    const Program program({.source = "teams", .level = level});
    std::vector<Record> records;
    for (int i = 0; i < 2; ++i) {
      Ran ran;
      records.push_back(measured(program.path(), {"-v"}, ran));
      ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
      EXPECT_THAT(ran.err, HasSubstr("teams/unlike [cpp threads=4]; by thread: 100,0"));
    }
    const Counts& unlike = *case_with(records[0], "teams/unlike [cpp threads=4]").counts;
    ASSERT_EQ(unlike.per_thread.value().size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      const double known = 100'000.0 * static_cast<double>(i + 1);
      EXPECT_NEAR((*unlike.per_thread)[i], known, known / 1000);
    }
    EXPECT_DOUBLE_EQ(std::accumulate(unlike.per_thread->begin(), unlike.per_thread->end(), 0.0), unlike.per_iteration);
    const Counts& paused = *case_with(records[0], "teams/paused [cpp threads=3]").counts;
    EXPECT_THAT(paused.per_thread.value(), testing::ElementsAre(testing::DoubleNear(0, 8), testing::DoubleNear(0, 8),
                                                                testing::DoubleNear(10'000, 8)));
    EXPECT_DOUBLE_EQ(std::accumulate(paused.per_thread->begin(), paused.per_thread->end(), 0.0), paused.per_iteration);
    const CaseRecord& others = case_with(records[0], "teams/with others [cpp threads=2]");
    EXPECT_FALSE(others.counts->per_thread) << "its threads' own threads are in each of the figures";
    EXPECT_THAT(others.warnings, testing::Contains(HasSubstr("what each of its threads executes is not known")));
    EXPECT_THAT(case_with(records[0], "teams/by the clock [cpp threads=2]").warnings,
                testing::Contains(HasSubstr("the region calls clock_gettime")));
    for (const std::string id : {"teams/unlike [cpp threads=4]", "teams/paused [cpp threads=3]"})
      EXPECT_EQ(case_with(records[0], id).counts->per_thread, case_with(records[1], id).counts->per_thread) << id;
  }
}

TEST(Programs, TimesLeavePausesOutAndTakeWhatIsReported) {
  const Program program({.source = "loops"});
  Ran ran;
  const Record record =
      record_of({"run", "--program", program.path(), "--wall-only", "--max-run-time", "1", "--filter", "loops/pauses*",
                 "--filter", "loops/counters*", "--filter", "loops/manual*", "--filter", "loops/threads that pause*"},
                ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  // Of the least samples, which a busy machine does not move.
  const auto least = [&](const std::string& id) { return std::ranges::min(case_with(record, id).wall->replicates_s); };
  // A third of what it would be with the pauses in it: reading the clock twice costs something, and so do neighbours.
  EXPECT_LT(least("loops/pauses [cpp]"), 7 * least("loops/counters [cpp]")) << "21 times the work, 20 parts paused";
  EXPECT_LT(least("loops/threads that pause [cpp threads=2]"), 0.00025) << "each pauses for 0.5 ms";
  EXPECT_NEAR(case_with(record, "loops/manual [cpp]").wall->median_s, 0.25, 1e-6);
  const CaseRecord& reported = case_with(record, "loops/counters [cpp]");
  ASSERT_TRUE(reported.counters);
  EXPECT_EQ(reported.counters->at("answer"), 42);
  EXPECT_DOUBLE_EQ(reported.counters->at("items"), 10 / reported.wall->median_s);
}

/// A counter's value, and the reports of a program by itself.
TEST(Programs, NumbersAreThoseOfEveryLocale) {
  const auto folder = TemporaryFolder::make();
  const std::string path = folder->path().string();
  if (std::system(("localedef -i de_DE -f UTF-8 '" + path + "/de_DE.UTF-8' 2>'" + path + "/said'").c_str()) != 0)
    GTEST_SKIP() << "no locale can be made here (Debian's package locales has what it takes)";
  const Program program({.source = "commas"});
  Ran ran;
  const Record record = record_of({"run", "--program", program.path(), "--counts-only", "--", path}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const CaseRecord& counted = case_with(record, "commas/work [cpp]");
  ASSERT_TRUE(counted.counters);
  EXPECT_EQ(counted.counters->at("one and a half"), 1.5);
  EXPECT_EQ(counted.counters->at("less"), -0.25);
  const std::string report = path + "/report.json";
  ASSERT_EQ(
      std::system((program.path() + " '" + path + "' --benchmark_min_time=1x --benchmark_format=json >'" + report + "'")
                      .c_str()),
      0);
  const auto text = read_file(report);
  ASSERT_TRUE(text);
  const auto json = json::parse(*text);
  ASSERT_TRUE(json) << *text;
  EXPECT_EQ((*(*json)["benchmarks"].array())[0]["one and a half"].number(), 1.5) << *text;
}

TEST(Programs, WhatFunctionsSayIsKnownWithoutTimesToo) {
  const Program program({.source = "loops"});
  Ran ran;
  const Record record =
      record_of({"run", "--program", program.path(), "--counts-only", "--filter", "loops/counters*"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const CaseRecord& reported = case_with(record, "loops/counters [cpp]");
  ASSERT_TRUE(reported.counters);
  EXPECT_EQ(reported.counters->at("answer"), 42);
  EXPECT_FALSE(reported.counters->contains("items")) << "a rate wants a time";
}

using Totals = std::map<std::string, std::vector<std::uint64_t>>;

Totals totals(const std::string& program, std::vector<std::string> more, const How& how = {}) {
  Ran ran;
  more.insert(more.begin(), kGood.begin(), kGood.end());
  const Record record = measured(program, std::move(more), ran, how);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  Totals all;
  for (const CaseRecord& one : record.cases) {
    if (!one.counts) continue;
    all[one.id] = one.counts->baseline_replicates;
    all[one.id].insert(all[one.id].end(), one.counts->replicates.begin(), one.counts->replicates.end());
  }
  return all;
}

TEST(Programs, CountsDoNotDependOnSurroundings) {
  const Program program;
  const Totals first = totals(program.path(), {});
  ASSERT_EQ(first.size(), 6U);
  EXPECT_TRUE(first.contains("known_work/fill [cpp n=1000 arg1=3]"));
  EXPECT_EQ(totals(program.path(), {}), first) << "another run";
  How large;
  large.more = {{"TALLY_TEST_BALLAST", std::string(3000, 'x')}};
  EXPECT_EQ(totals(program.path(), {"--keep-env", "TALLY_TEST_BALLAST"}, large), first) << "more environment";
  EXPECT_EQ(totals(program.path(), {"--isolation", "process"}), first) << "a process of its own for each session";
  const Program far({.below = std::string(100, 'f') + "/in/a/folder/of/some/depth"});
  EXPECT_EQ(totals(far.path(), {}), first) << "another path of the program";
}

/// The doors lead to the same room: what is counted is the same.
TEST(Programs, ReadsWhatTheSameStatementReads) {
  // As toolchain cpp compiles: std::string is another one in C++20.
  const Program program({.standard = "-std=c++20"});
  Ran ran;
  const Record in_program = measured(program.path(), kGood, ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Record in_suite = record_of({"run", suite("programs"), "--counts-only", "--iterations", "10"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  // The host's heap is made of mappings, a program's grows by its break: an allocation may take another way.
  constexpr double kOfHeaps = 40;
  for (const auto& [id, label] : std::map<std::string, std::string>{{"known_work/empty [cpp]", "empty"},
                                                                    {"known_work/thousand nops [cpp]", "thousand nops"},
                                                                    {"known_work/fill [cpp n=1000 arg1=3]", "fill"}}) {
    EXPECT_NEAR(case_with(in_program, id).counts->per_iteration, case_of(in_suite, label, "cpp").counts->per_iteration,
                label == "fill" ? kOfHeaps : 1)
        << id;
  }
}

TEST(Programs, WhatMisbehavesFailsAloneAndSaysWhy) {
  const Program program;
  Ran ran;
  const Record record = measured(program.path(), {"--timeout", "5", "--retries", "0"}, ran);
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto failure = [&](const std::string& name) {
    const CaseRecord& one = case_with(record, "known_work/" + name + " [cpp]");
    EXPECT_NE(one.status, CaseStatus::ok) << name;
    return one.failure ? one.failure->message : std::string();
  };
  EXPECT_THAT(failure("throws"), HasSubstr("as it should"));
  EXPECT_THAT(case_with(record, "known_work/throws [cpp]").failure->reproduce, HasSubstr("tally run --program /"));
  EXPECT_THAT(failure("exits"), HasSubstr("exited with code 0"));
  EXPECT_THAT(failure("crashes"), HasSubstr("SIGSEGV"));
  EXPECT_THAT(failure("leaves"), HasSubstr("returned before its loop was over"));
  EXPECT_THAT(failure("no loop"), HasSubstr("returned before its loop was over"));
  EXPECT_THAT(failure("no such argument"), HasSubstr("state.arg(0): the benchmark has 0 arguments"));
  EXPECT_EQ(case_with(record, "known_work/hangs [cpp]").status, CaseStatus::timeout);
  EXPECT_EQ(case_with(record, "known_work/prints [cpp]").status, CaseStatus::ok);
  EXPECT_NEAR(case_with(record, "known_work/prints [cpp]").counts->per_iteration, 1, 1);
  EXPECT_EQ(case_with(record, "known_work/thousand nops [cpp]").status, CaseStatus::ok);
}

/// Each session then has a host of its own; the end of static objects is not waited for.
TEST(Programs, WithAThreadFromTheStartAndAnEndOfItsOwnIsCounted) {
  const Program program({.source = "busy_ends"});
  Ran ran;
  const Record record = measured(program.path(), {}, ran);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("cannot be forked safely"));
  EXPECT_NEAR(case_with(record, "busy_ends/thousand nops [cpp]").counts->per_iteration, 1000, 1);
  EXPECT_NEAR(case_with(record, "busy_ends/two thousand nops [cpp]").counts->per_iteration, 2000, 1);
}

/// Where it is timed: what comes after a counted loop is not the count's concern.
TEST(Programs, ASecondLoopIsRefused) {
  const Program program;
  Ran ran;
  const Record record =
      record_of({"run", "--program", program.path(), "--wall-only", "--filter", "known_work/two*"}, ran);
  EXPECT_EQ(ran.code, 1) << ran.err;
  ASSERT_TRUE(case_with(record, "known_work/two loops [cpp]").failure);
  EXPECT_THAT(case_with(record, "known_work/two loops [cpp]").failure->message, HasSubstr("one measured loop"));
}

/// The program is the subject, not the environment: another one is a change of what is measured.
TEST(Programs, IsTheSubjectByItsContents) {
  const Program one;
  const Program same({.below = "elsewhere"});
  const Program other({.level = "-O1"});
  const auto fingerprint = [](const std::string& path) {
    Ran ran;
    const Record record = measured(path, {"--filter", "known_work/empty*"}, ran);
    EXPECT_EQ(record.environments.size(), 1U) << ran.err;
    return record.environments.empty() ? Fingerprint() : record.environments.begin()->second.fingerprint;
  };
  const Fingerprint first = fingerprint(one.path());
  EXPECT_EQ(fingerprint(same.path()).subject, first.subject);
  EXPECT_EQ(fingerprint(same.path()).environment, first.environment);
  EXPECT_NE(fingerprint(other.path()).subject, first.subject);
  EXPECT_EQ(fingerprint(other.path()).environment, first.environment);
}

TEST(Programs, WhatIsNoneIsRefused) {
  for (const std::string wrong : {"/bin/true", "/no/such/program", "/etc/passwd", "/bin/false"}) {
    const Ran ran = tally({"run", "--program", wrong});
    EXPECT_EQ(ran.code, 2) << wrong << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(wrong));
    EXPECT_THAT(ran.err, HasSubstr("tallymark::bench"));
  }
  EXPECT_EQ(tally({"run", suite("known_work"), "--program", "/bin/true"}).code, 2);
}

TEST(Programs, AloneItIsABenchmarkProgramAsPeopleKnowIt) {
  const Program program;
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  ProcessRequest request;
  request.argv = {program.path(), "--benchmark_filter=thousand", "--benchmark_min_time=10x"};
  const ProcessResult result = run(runner, std::move(request));
  EXPECT_TRUE(succeeded(result)) << result.err.text();
  EXPECT_THAT(result.out.text(), HasSubstr("Iterations"));
  EXPECT_THAT(result.out.text(), HasSubstr("thousand nops"));
}

}  // namespace
}  // namespace tally::cli_test
