/// Google Benchmark's sources, counted without an edit.
#include <thread>

#include "programs.h"

namespace tally::cli_test {
namespace {

using testing::HasSubstr;

Making made_by(const std::string& compiler, const std::string& level) {
  return {.source = "facade_work", .compiler = compiler, .level = level, .library = "facade/libtallymark_benchmark.a"};
}

Record counted(const std::string& program, const std::vector<std::string>& more, Ran& ran, const How& how = {}) {
  std::vector<std::string> arguments = {"run", "--program", program, "--counts-only"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return record_of(std::move(arguments), ran, how);
}

/// Benchmarks whose body is a thousand nops, in each form of loop and of definition.
const std::vector<std::string> kThousands = {"range_for [cpp]",
                                             "keep_running [cpp]",
                                             "batch [cpp]",
                                             "pauses [cpp]",
                                             "keep_running_pauses [cpp]",
                                             "typed<int> [cpp]",
                                             "typed<std::pair<int, long>> [cpp]",
                                             "captured/both [cpp]",
                                             "range_for/its_name [cpp]",
                                             "Fixed/method [cpp arg0=7]",
                                             "needs_setup [cpp arg0=3]",
                                             "registered [cpp]"};

TEST(Facade, KnownWorkIsReadExactlyInEachForm) {
  for (const std::string compiler : {"g++", "clang++-19"}) {
    for (const std::string level : {"-O0", "-O2"}) {
      SCOPED_TRACE(testing::Message() << compiler << " " << level);
      const Program program(made_by(compiler, level));
      Ran ran;
      const Record record = counted(program.path(), {}, ran);
      EXPECT_EQ(ran.code, 1) << "one of them fails" << ran.err;
      for (const std::string& id : kThousands) {
        const CaseRecord& one = case_with(record, "facade_work/" + id);
        ASSERT_TRUE(one.counts) << id;
        // Without optimisation what pauses for a scope has a constructor and a destructor.
        EXPECT_NEAR(one.counts->per_iteration, 1000,
                    level != "-O0"                     ? 1
                    : id.starts_with("keep_running_p") ? 30
                                                       : 4)
            << id;
        EXPECT_EQ(one.counts->spread, 0) << id;
      }
      const CaseRecord& threads = case_with(record, "facade_work/in_threads [cpp threads=4]");
      EXPECT_NEAR(threads.counts->per_iteration, 400'000, 400);
      EXPECT_THAT(threads.counts->per_thread.value(), testing::Each(testing::DoubleNear(100'000, 100)));
      EXPECT_EQ(case_with(record, "facade_work/batch [cpp]").counts->iterations, 105U) << "in steps of seven";
      EXPECT_EQ(case_with(record, "facade_work/push_back#2 [cpp]").counts->iterations, 1000U) << "as it says";
    }
  }
}

TEST(Facade, WhatFunctionsSayIsKept) {
  const Program program(made_by("g++", "-O2"));
  Ran ran;
  const Record record = record_of({"run", "--program", program.path(), "--max-run-time", "0.2"}, ran);
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(case_with(record, "facade_work/errs [cpp]").failure->message, HasSubstr("no such file"));
  const CaseRecord& skipped = case_with(record, "facade_work/passes [cpp]");
  EXPECT_EQ(skipped.status, CaseStatus::skipped);
  EXPECT_THAT(skipped.warnings, testing::ElementsAre(HasSubstr("not on this machine")));
  const CaseRecord& reported = case_with(record, "facade_work/with_args [cpp arg0=100]");
  EXPECT_EQ(reported.note, "labelled");
  ASSERT_TRUE(reported.counters);
  EXPECT_DOUBLE_EQ(reported.counters->at("items_per_second"), 100 / reported.wall->median_s);
  EXPECT_NEAR(case_with(record, "facade_work/manual [cpp]").wall->median_s, 0.5, 1e-6);
  EXPECT_NEAR(case_with(record, "facade_work/manual_of_a_team [cpp threads=2]").wall->median_s, 200e-9, 1e-12)
      << "times of a team are added up";
  EXPECT_NEAR(case_with(record, "facade_work/manual_of_nothing [cpp]").wall->median_s, 1e-12, 1e-15)
      << "bounded by the clock";
  for (const std::string id : {"keeps_constant [cpp]", "keeps_stores [cpp]", "knows_its_number [cpp]",
                               "pairs [cpp args=1/2]", "product [cpp x=2 y=4]"})
    EXPECT_EQ(case_with(record, "facade_work/" + id).status, CaseStatus::ok) << id;
}

TEST(Facade, WhatWouldNotRunIsNotListed) {
  const Program program(made_by("g++", "-O2"));
  const Ran all = tally({"list", "--program", program.path()});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, testing::AllOf(HasSubstr("facade_work/pairs"), testing::Not(HasSubstr("DISABLED_"))));
  const Ran chosen = tally({"list", "--program", program.path(), "--", "--benchmark_filter=pairs/1|^errs"});
  EXPECT_EQ(chosen.out, "facade_work/pairs [cpp args=1/2]\nfacade_work/pairs [cpp args=3/4]\nfacade_work/errs [cpp]\n")
      << chosen.err;
}

TEST(Facade, AnArgumentMayHaveANameThatIdsUse) {
  const Program program(made_by("g++", "-O2"));
  const Ran all = tally({"list", "--program", program.path(), "--filter", "facade_work/named*"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, "facade_work/named [cpp threads_=1 device_=2 language_=3 runtime_=4 autograd_=5 tag_=6]\n");
}

/// Whatever the program does after its first call, and with Google's library as with ours.
TEST(Facade, WhatAFurtherCallRunsIsListedAndSaysWhyItIsNotMeasured) {
  std::vector<Making> makings = {
      {.source = "google_calls", .compiler = "g++", .library = "facade/libtallymark_benchmark.a"}};
  if (fs::exists("/usr/include/benchmark/benchmark.h"))
    makings.push_back({.source = "google_calls", .compiler = "g++", .library = "-lbenchmark"});
  for (const Making& making : makings) {
    const Program program(making);
    const auto folder = TemporaryFolder::make();
    How how;
    how.folder = folder->path().string();
    const std::string report = how.folder + "/report.txt";
    ASSERT_TRUE(write_file(report, "of a run by itself"));
    const bool ours = making.library.front() != '-';
    const std::string first = ours ? "google_calls/first [cpp arg0=1]" : "google_calls/first/1 [cpp]";
    const std::string second =
        ours ? "google_calls/second (call 3) [cpp arg0=1 arg1=2]" : "google_calls/second/1/2 (call 3) [cpp]";
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"--", "abort"}}) {
      std::vector<std::string> list = {"list", "--program", program.path()};
      list.insert(list.end(), arguments.begin(), arguments.end());
      const Ran listed = tally(list, how);
      EXPECT_EQ(listed.code, 0) << listed.err;
      EXPECT_EQ(listed.out, first + "\n" + second + "\n");
    }
    if (ours) {
      How longer = how;
      longer.more = {{"OMP_LONG", "1"}};
      const Ran slow = tally({"list", "--program", program.path()}, longer);
      EXPECT_EQ(slow.out, first + "\n" + second + "\n") << slow.err;
    }
    Ran ran;
    const Record record = counted(program.path(), {}, ran, how);
    EXPECT_EQ(ran.code, 0) << ran.err;
    ASSERT_TRUE(case_with(record, first).counts);
    EXPECT_NEAR(case_with(record, first).counts->per_iteration, 1003, 4);
    const CaseRecord& skipped = case_with(record, second);
    EXPECT_EQ(skipped.status, CaseStatus::skipped);
    EXPECT_THAT(skipped.warnings, testing::ElementsAre(HasSubstr("in a further call of RunSpecifiedBenchmarks()")));
    EXPECT_EQ(read_file(report).value_or(""), "of a run by itself") << "nothing that was measured would be in it";
  }
}

TEST(Facade, LabelsAreKnownWithoutTimesToo) {
  const Program program(made_by("g++", "-O2"));
  Ran ran;
  const Record record =
      record_of({"run", "--program", program.path(), "--counts-only", "--filter", "facade_work/with_args*"}, ran);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(case_with(record, "facade_work/with_args [cpp arg0=100]").note, "labelled");

  // All calls that are measured are of forks.
  const Record team =
      record_of({"run", "--program", program.path(), "--counts-only", "--filter", "facade_work/says_in_a_team*"}, ran);
  const CaseRecord& said = case_with(team, "facade_work/says_in_a_team [cpp threads=2]");
  EXPECT_EQ(said.note, "of a team");
  ASSERT_TRUE(said.counters);
  EXPECT_EQ(said.counters->at("each"), 14);
  EXPECT_EQ(said.counts->iterations, 5U);
}

TEST(Facade, CountsDoNotDependOnSurroundings) {
  const auto totals = [](const std::string& path, const std::vector<std::string>& more, const How& how = {}) {
    Ran ran;
    std::map<std::string, std::vector<std::uint64_t>> all;
    for (const CaseRecord& one : counted(path, more, ran, how).cases) {
      if (!one.counts) continue;
      all[one.id] = one.counts->baseline_replicates;
      all[one.id].insert(all[one.id].end(), one.counts->replicates.begin(), one.counts->replicates.end());
    }
    return all;
  };
  const Program program(made_by("g++", "-O2"));
  const auto first = totals(program.path(), {});
  ASSERT_GE(first.size(), 24U);
  EXPECT_EQ(totals(program.path(), {}), first) << "another run";
  How large;
  large.more = {{"TALLY_TEST_BALLAST", std::string(3000, 'x')}};
  EXPECT_EQ(totals(program.path(), {"--keep-env", "TALLY_TEST_BALLAST"}, large), first) << "more environment";
  Making far = made_by("g++", "-O2");
  far.below = std::string(100, 'f') + "/in/a/folder/of/some/depth";
  EXPECT_EQ(totals(Program(far).path(), {}), first) << "another path of the program";
}

/// Its arguments are its user's, its names are its author's, and a pause costs nothing however often one comes.
TEST(Facade, AProgramOfSomebodyElsesIsTakenAsItIs) {
  for (const std::string library : {"facade/libtallymark_benchmark.a", "-lbenchmark"}) {
    if (library == "-lbenchmark" && !fs::exists("/usr/include/benchmark/benchmark.h")) continue;
    SCOPED_TRACE(library);
    const Program program({.source = "strict_main", .compiler = "g++", .level = "-O2", .library = library});
    const Ran refused = tally({"run", "--program", program.path(), "--counts-only"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("usage: "));
    EXPECT_THAT(refused.err, testing::Not(HasSubstr("symbol table")));
    const auto folder = TemporaryFolder::make();
    const std::string path = (folder->path() / "record.json").string();
    const Ran ran = tally({"run", "--program", program.path(), "--counts-only", "--json", path, "--", "all"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Record record = record_from_json(read_file(path).value(), path).value();
    ASSERT_EQ(record.cases.size(), 8U);
    for (const CaseRecord& one : record.cases) {
      ASSERT_TRUE(one.counts) << one.id << ran.err;
      EXPECT_GE(one.counts->per_iteration, 999) << one.id;
      EXPECT_LE(one.counts->per_iteration, 1018) << one.id;
      EXPECT_EQ(one.counts->spread, 0) << one.id;
    }
    EXPECT_EQ(case_with(record, "strict_main/same#2 [cpp]").status, CaseStatus::ok);
  }
  const Ran words = tally({"run", "some.toml", "--", "all"});
  EXPECT_EQ(words.code, 2);
  EXPECT_THAT(words.err, HasSubstr("arguments, but no program that takes them: all"));
}

/// Each header of Google Benchmark's of 2026 brings what its own does.
TEST(Facade, PartsOfTheHeaderSuffice) {
  for (const std::string define : {"ONLY_API", "ONLY_REGISTRATION"}) {
    const Program program(
        {.source = "facade_parts", .compiler = "g++", .define = define, .library = "facade/libtallymark_benchmark.a"});
    Ran ran;
    const Record record = counted(program.path(), {}, ran);
    EXPECT_EQ(ran.code, 0) << ran.err;
    ASSERT_EQ(record.cases.size(), 1U) << define;
    ASSERT_TRUE(record.cases[0].counts) << define;
    EXPECT_EQ(record.cases[0].counts->per_iteration, 1000) << define;
  }
}

TEST(Facade, CasesThatShareAFileReadWhatTheyReadAlone) {
  std::vector<Making> makings = {
      {.source = "shared_file", .compiler = "g++", .library = "facade/libtallymark_benchmark.a"}};
  if (fs::exists("/usr/include/benchmark/benchmark.h"))
    makings.push_back({.source = "shared_file", .compiler = "g++", .library = "-lbenchmark"});
  for (const Making& making : makings) {
    const Program program(making);
    const TemporaryFolder folder = TemporaryFolder::make().value();
    How there;
    there.folder = folder.path();
    Ran ran;
    const Record alone = counted(program.path(), {"--cores", "0"}, ran, there);
    EXPECT_THAT(ran.err, testing::Not(HasSubstr("changes the file"))) << "nothing runs beside it";
    const Record beside = counted(program.path(), {}, ran, there);
    ASSERT_EQ(beside.cases.size(), 4U) << ran.err;
    for (const CaseRecord& one : beside.cases) {
      ASSERT_TRUE(one.counts) << one.id << ran.err;
      EXPECT_EQ(one.counts->replicates, case_with(alone, one.id).counts->replicates) << one.id;
      EXPECT_EQ(one.attempts.size(), 1U);
    }
    if (std::thread::hardware_concurrency() > 1) {
      EXPECT_THAT(ran.err, HasSubstr("changes the file scratch: cases that may share it are counted one at a time"));
    }
  }
}

/// Ours in place of Google Benchmark's header, and a program that was built with its library.
TEST(GoogleBuilt, HeavyBenchmarksAreExecutedLessOften) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  for (const std::string library : {"-lbenchmark", "facade/libtallymark_benchmark.a"}) {
    SCOPED_TRACE(library);
    const Program program({.source = "google_heavy", .compiler = "g++", .library = library});
    Ran ran;
    const Record record = counted(program.path(), {}, ran);
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    for (const std::string name : {"ten_million", "knows_its_number"}) {
      const CaseRecord& one = case_with(record, "google_heavy/" + name + " [cpp]");
      ASSERT_TRUE(one.counts) << name;
      EXPECT_EQ(one.counts->iterations, 20U) << name;
      EXPECT_NEAR(one.counts->per_iteration, 10'030'000, 20'000) << name;
    }
    const CaseRecord& light = case_with(record, "google_heavy/its_set_up [cpp]");
    ASSERT_TRUE(light.counts);
    EXPECT_EQ(light.counts->iterations, 100U);
    EXPECT_NEAR(light.counts->per_iteration, 1003, 8);
  }
}

/// The library runs all benchmarks that a name matches, so in a built program a case passes those before its own.
TEST(GoogleBuilt, BenchmarksOfOneNameAreCountedEach) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  for (const std::string library : {"-lbenchmark", "facade/libtallymark_benchmark.a"}) {
    SCOPED_TRACE(library);
    const Program program({.source = "google_namesakes", .compiler = "g++", .library = library});
    Ran ran;
    const Record record = counted(program.path(), {}, ran);
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    ASSERT_EQ(record.cases.size(), 3U);
    const std::map<std::string, double> thousands = {{"work", 1}, {"work#2", 2}, {"work#3", 4}};
    for (const auto& [name, number] : thousands) {
      const CaseRecord& one = case_with(record, "google_namesakes/" + name + " [cpp]");
      ASSERT_TRUE(one.counts) << name << ran.err;
      EXPECT_NEAR(one.counts->per_iteration, number * 1000, 16) << name << ": with its inner loop";
    }
  }
}

/// Its loader preloads nothing: it would run all its benchmarks.
TEST(GoogleBuilt, WithAnothersRightsIsRefused) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a program away";
  const Program program({.source = "google_namesakes", .compiler = "g++", .library = "-lbenchmark"});
  ASSERT_EQ(::chown(program.path().c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(program.path().c_str(), 04755), 0);
  const Ran ran = tally({"list", "--program", program.path()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is set-uid or set-gid"));
  EXPECT_THAT(ran.err, HasSubstr("give a copy of it"));
}

/// Of a built program only the benchmark's State has its counters, until the function has returned.
TEST(GoogleBuilt, WhatFunctionsReportIsKept) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  for (const bool ours : {false, true}) {
    SCOPED_TRACE(ours);
    const Program program({.source = "google_reports",
                           .compiler = "g++",
                           .library = ours ? "facade/libtallymark_benchmark.a" : "-lbenchmark"});
    Ran ran;
    const Record record = record_of({"run", "--program", program.path(), "--max-run-time", "0.2", "--filter",
                                     "*counters*", "--filter", "*label*", "--filter", "*torn_down*"},
                                    ran);
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const std::string name : {"counters", ours ? "counters_of_20" : "counters_of_20/iterations:20"}) {
      const CaseRecord& one = case_with(record, "google_reports/" + name + " [cpp]");
      ASSERT_TRUE(one.counters) << name;
      EXPECT_DOUBLE_EQ(one.counters->at("plain"), 7);
      EXPECT_DOUBLE_EQ(one.counters->at("mean"), 3);
      EXPECT_DOUBLE_EQ(one.counters->at("for each thread"), 8);
      EXPECT_DOUBLE_EQ(one.counters->at("inverted"), 0.25);
      if (one.counters->contains("items_per_second")) {
        EXPECT_DOUBLE_EQ(one.counters->at("items_per_second"), 5 / one.wall->median_s);
      }
    }
    EXPECT_TRUE(case_with(record, "google_reports/counters [cpp]").counters->contains("items_per_second"));
    EXPECT_THAT(case_with(record, "google_reports/many_counters [cpp]").counters.value(), testing::SizeIs(500));
    const CaseRecord& odd_names = case_with(record, "google_reports/odd_counters [cpp]");
    EXPECT_THAT(odd_names.counters.value(),
                testing::UnorderedElementsAre(testing::Pair("of two\nlines", 2), testing::Pair("of two\tcolumns", 3)));
    // What passes between processes has less room than the record.
    const CaseRecord& long_names = case_with(record, "google_reports/too_many_counters [cpp]");
    const std::size_t kept = long_names.counters.value().size();
    EXPECT_EQ(
        long_names.note.value_or(""),
        ours ? ""
             : fmt::format("{} counters are left out: their names take too much room; includes the loop's own control",
                           100 - kept));
    if (ours) {
      EXPECT_EQ(kept, 100U);
    } else {
      EXPECT_LT(kept, 100U);
    }
    EXPECT_EQ(case_with(record, ours ? "google_reports/label [cpp arg0=64]" : "google_reports/label/64 [cpp]").note,
              ours ? "size 64" : "size 64; includes the loop's own control");
    const CaseRecord& fixture = case_with(record, "google_reports/Fixture/torn_down [cpp]");
    ASSERT_TRUE(fixture.counters);
    EXPECT_DOUBLE_EQ(fixture.counters->at("at the end"), 9);
    const Record of_one_call = counted(program.path(), {"--filter", "*once*"}, ran);
    const CaseRecord& once =
        case_with(of_one_call, ours ? "google_reports/once [cpp]" : "google_reports/once/iterations:10 [cpp]");
    ASSERT_TRUE(once.counters);
    EXPECT_DOUBLE_EQ(once.counters->at("calls"), 1);
  }
}

/// A case has a name of its own, and the count of its own benchmark.
TEST(GoogleBuilt, NamesThatSayOneThingForTwoAreCountedEach) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  const std::map<std::string, double> any = {{"below/9 [cpp]", 300}, {"above/7 [cpp]", 400},  {"twice#2 [cpp]", 800},
                                             {"twice [cpp]", 900},   {"twice#3 [cpp]", 1000}, {"unnamed [cpp]", 100},
                                             {"%2F%2F [cpp]", 200},  {"a b [cpp]", 300},      {"{x} [cpp]", 400},
                                             {"outer [cpp]", 500}};
  const std::map<std::string, double> by_header = {{"below [cpp arg0=1]", 100},       {"below [cpp arg0=2]", 100},
                                                   {"below/1#2 [cpp]", 200},          {"above#2 [cpp arg0=7]", 500},
                                                   {"deep [cpp arg0=1 arg1=2]", 600}, {"deep/1#2 [cpp arg0=2]", 700}};
  const std::map<std::string, double> built = {{"below/1 [cpp]", 100},   {"below/2 [cpp]", 100},
                                               {"below/1#2 [cpp]", 200}, {"above/7#2 [cpp]", 500},
                                               {"deep/1/2 [cpp]", 600},  {"deep/1/2#2 [cpp]", 700}};
  for (const bool ours : {false, true}) {
    SCOPED_TRACE(ours);
    const Program program({.source = "google_names",
                           .compiler = "g++",
                           .library = ours ? "facade/libtallymark_benchmark.a" : "-lbenchmark"});
    Ran ran;
    const Record record = counted(program.path(), {}, ran);
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    std::map<std::string, double> expected = ours ? by_header : built;
    expected.insert(any.begin(), any.end());
    EXPECT_EQ(record.cases.size(), expected.size());
    for (const auto& [name, nops] : expected) {
      const CaseRecord& one = case_with(record, "google_names/" + name);
      ASSERT_TRUE(one.counts) << name << ran.err;
      EXPECT_NEAR(one.counts->per_iteration, nops, 6) << name << ": with its loop's control";
    }
  }
}

/// Built already, with Google Benchmark's own library: its loop's control stays in.
TEST(GoogleBuilt, HasTheTimesThatItsFunctionsSet) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  const Program program({.source = "google_manual", .compiler = "g++", .library = "-lbenchmark"});
  Ran ran;
  const Record record = record_of({"run", "--program", program.path(), "--max-run-time", "0.2"}, ran);
  EXPECT_EQ(ran.code, 1) << "one of them fails" << ran.err;
  for (const std::string id : {"manual/manual_time [cpp]", "fixed/iterations:3/manual_time [cpp]"}) {
    const CaseRecord& one = case_with(record, "google_manual/" + id);
    ASSERT_TRUE(one.wall) << id << ran.err;
    EXPECT_NEAR(one.wall->median_s, 0.25, 1e-6) << id;
  }
  const CaseRecord& manual = case_with(record, "google_manual/manual/manual_time [cpp]");
  ASSERT_TRUE(manual.counts);
  EXPECT_NEAR(manual.counts->per_iteration, 1020, 20);
  EXPECT_LT(case_with(record, "google_manual/by the clock [cpp]").wall->median_s, 0.01);
  const CaseRecord& named = case_with(record, "google_manual/named/manual_time [cpp]");
  ASSERT_TRUE(named.failure) << "no time of another clock stands under this name";
  EXPECT_THAT(named.failure->message, HasSubstr("no call of SetIterationTime() was seen"));
}

TEST(GoogleBuilt, IsCountedByPuttingOursBeforeItsLibrary) {
  if (!fs::exists("/usr/include/benchmark/benchmark.h")) GTEST_SKIP() << "needs libbenchmark-dev";
  const Making making = {.source = "google_built", .compiler = "g++", .library = "-lbenchmark"};
  const Program program(making);
  Ran ran;
  const Record record = counted(program.path(), {"--timeout", "60", "--retries", "0"}, ran);
  EXPECT_EQ(ran.code, 1) << ran.err;
  for (const std::string id : {"range_for [cpp]", "keep_running/3 [cpp]", "keep_running/7 [cpp]", "pauses [cpp]"}) {
    const CaseRecord& one = case_with(record, "google_built/" + id);
    ASSERT_TRUE(one.counts) << id << ran.err;
    EXPECT_GE(one.counts->per_iteration, 999) << id;
    EXPECT_LE(one.counts->per_iteration, 1006) << id;
    EXPECT_EQ(one.counts->spread, 0) << id;
    EXPECT_EQ(one.note, "includes the loop's own control");
  }
  for (const std::string id : {"in_batches<7> [cpp]", "in_batches<1000> [cpp]", "reports_counters [cpp]",
                               "an_argument/iterations:4 [cpp]", "in_one_thread/threads:1 [cpp]"}) {
    const CaseRecord& one = case_with(record, "google_built/" + id);
    ASSERT_TRUE(one.counts) << id << ran.err;
    EXPECT_GE(one.counts->per_iteration, 999) << id;
    EXPECT_LE(one.counts->per_iteration, 1006) << id;
  }
  // Their loops have more control of their own.
  for (const std::string id : {"first_costs [cpp]", "Kept/grows_from_call_to_call [cpp]", "pauses_at_times [cpp]"}) {
    const CaseRecord& one = case_with(record, "google_built/" + id);
    ASSERT_TRUE(one.counts) << id << ran.err;
    EXPECT_GE(one.counts->per_iteration, 999) << id;
    EXPECT_LE(one.counts->per_iteration, 1016) << id;
  }
  const CaseRecord& grows = case_with(record, "google_built/grows/iterations:4 [cpp]");
  ASSERT_TRUE(grows.counts) << ran.err;
  EXPECT_NEAR(grows.counts->per_iteration, 2510, 10);
  EXPECT_EQ(grows.counts->iterations, 4U);
  EXPECT_EQ(case_with(record, "google_built/knows_its_number/min_time:0.500/repeats:3 [cpp]").status, CaseStatus::ok);
  const auto failure = [&](const std::string& name) {
    const CaseRecord& one = case_with(record, "google_built/" + name + " [cpp]");
    return one.failure ? one.failure->message : std::string("none");
  };
  EXPECT_THAT(failure("errs"), HasSubstr("no such file"));
  EXPECT_THAT(failure("throws"), HasSubstr("as it should"));
  EXPECT_THAT(failure("exits"), HasSubstr("ended the process with exit code 0"));
  EXPECT_THAT(failure("crashes"), HasSubstr("SIGSEGV"));
  EXPECT_THAT(failure("in_threads/threads:2"), HasSubstr("build it with tallymark::benchmark"));

  const auto totals = [](const Record& of) {
    std::map<std::string, std::vector<std::uint64_t>> all;
    for (const CaseRecord& one : of.cases) {
      if (one.counts) all[one.id] = one.counts->replicates;
    }
    return all;
  };
  How large;
  large.more = {{"TALLY_TEST_BALLAST", std::string(3000, 'x')}};
  EXPECT_EQ(totals(counted(program.path(), {"--keep-env", "TALLY_TEST_BALLAST"}, ran, large)), totals(record));
  Making far = making;
  far.below = std::string(100, 'f') + "/in/a/folder/of/some/depth";
  EXPECT_EQ(totals(counted(Program(far).path(), {}, ran)), totals(record)) << "another path of the program";
}

}  // namespace
}  // namespace tally::cli_test
