/// A program's benchmarks without `tally`: what runs, what is reported, in which form. Times are masked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

#include "aggregates.h"
#include "benchmark/benchmark.h"
#include "flags.h"
#include "text.h"

namespace {

using benchmark::Counter;
using benchmark::State;
using testing::ElementsAre;
using testing::HasSubstr;
using Report = benchmark::BenchmarkReporter::Run;

void empty(State& state) {
  for (auto _ : state) {
  }
}

/// Keeps what it receives.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Report>& report) override { runs.insert(runs.end(), report.begin(), report.end()); }
  void Finalize() override { ++finalized; }

  std::vector<Report> runs;
  int finalized = 0;
};

class Alone : public testing::Test {
 protected:
  Alone() {
    benchmark::internal::flags() = {};
    benchmark::SetDefaultTimeUnit(benchmark::kNanosecond);
    say({"--benchmark_min_time=0.001s"});
  }
  ~Alone() override {
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterMemoryManager(nullptr);
    benchmark::RegisterProfilerManager(nullptr);
    benchmark::Shutdown();
  }

  /// As the command line; returns what is left of it.
  static std::vector<std::string> say(std::vector<std::string> arguments) {
    // Reports point to the name of the program, as those of Google's library do.
    static std::string program = "program";
    std::vector<char*> argv = {program.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    benchmark::Initialize(&argc, argv.data());
    return {argv.begin() + 1, argv.begin() + argc};
  }

  static std::vector<Report> run() {
    Keeper keeper;
    benchmark::RunSpecifiedBenchmarks(&keeper);
    EXPECT_LE(keeper.finalized, 1);
    return keeper.runs;
  }

  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Report& one : run()) all.push_back(one.benchmark_name());
    return all;
  }

  /// What a reporter writes, its numbers as #, blanks and runs of dashes as one.
  template <typename Reporter>
  static std::string text_of(Reporter&& reporter) {
    std::ostringstream out;
    std::ostringstream err;
    reporter.SetOutputStream(&out);
    reporter.SetErrorStream(&err);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    std::string text = std::regex_replace(out.str(), std::regex("[0-9]+([.][0-9]+)?(e[-+][0-9]+)?"), "#");
    text = std::regex_replace(text, std::regex("-+"), "-");
    return std::regex_replace(text, std::regex(" +"), " ");
  }
};

TEST_F(Alone, NamesSayWhatADefinitionSays) {
  benchmark::RegisterBenchmark("f", empty)
      ->ArgNames({"n", ""})
      ->ArgsProduct({{1, 2}, {8}})
      ->Iterations(5)
      ->Repetitions(1)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->ThreadRange(1, 2);
  benchmark::RegisterBenchmark("g", empty)->MinTime(0.001)->MinWarmUpTime(0.001);
  EXPECT_THAT(names(), ElementsAre("f/n:1/8/iterations:5/repeats:1/process_time/real_time/threads:1",
                                   "f/n:1/8/iterations:5/repeats:1/process_time/real_time/threads:2",
                                   "f/n:2/8/iterations:5/repeats:1/process_time/real_time/threads:1",
                                   "f/n:2/8/iterations:5/repeats:1/process_time/real_time/threads:2",
                                   "g/min_time:0.001/min_warmup_time:0.001"));
}

TEST_F(Alone, FiltersChooseAndFamiliesAreCounted) {
  for (const char* name : {"one", "two", "three", "DISABLED_four"})
    benchmark::RegisterBenchmark(name, empty)->Arg(1)->Arg(2);
  say({"--benchmark_filter=t.*/2"});
  const std::vector<Report> runs = run();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].benchmark_name(), "three/2");
  EXPECT_EQ(runs[1].family_index, 1) << "of those that run";
  EXPECT_EQ(runs[1].per_family_instance_index, 0);
  benchmark::SetBenchmarkFilter("-t");
  EXPECT_THAT(names(), ElementsAre("one/1", "one/2"));
  benchmark::SetBenchmarkFilter("all");
  EXPECT_EQ(names().size(), 6U);
  benchmark::SetBenchmarkFilter("(");
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(Alone, IterationsGrowUntilTheTimeIsReached) {
  benchmark::RegisterBenchmark("sleeps", [](State& state) {
    for (auto _ : state) std::this_thread::sleep_for(std::chrono::microseconds(100));
  })->UseRealTime();
  benchmark::RegisterBenchmark("batches", [](State& state) {
    while (state.KeepRunningBatch(7)) {
    }
  })->Iterations(100);
  say({"--benchmark_min_time=0.01s"});
  const std::vector<Report> runs = run();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_GE(runs[0].real_accumulated_time, 0.01);
  EXPECT_LE(runs[0].iterations, 1000);
  EXPECT_LT(runs[0].cpu_accumulated_time, runs[0].real_accumulated_time);
  EXPECT_EQ(runs[1].iterations, 105) << "in steps of seven";
  say({"--benchmark_min_time=3x"});
  EXPECT_EQ(run()[0].iterations, 3);
  say({"--benchmark_dry_run"});
  EXPECT_EQ(run()[0].iterations, 1);
}

TEST_F(Alone, CountersAreFinished) {
  benchmark::RegisterBenchmark("f",
                               [](State& state) {
                                 for (auto _ : state) state.SetIterationTime(0.5);
                                 state.counters["plain"] = 3;
                                 state.counters["rate"] = Counter(3, Counter::kIsRate);
                                 state.counters["each"] = Counter(3, Counter::kIsIterationInvariantRate);
                                 state.counters["average"] = Counter(3, Counter::kAvgIterations);
                                 state.counters["thread"] = Counter(3, Counter::kAvgThreads);
                                 state.counters["inverted"] = Counter(3, Counter::kIsRate | Counter::kInvert);
                                 state.SetItemsProcessed(40);
                                 state.SetBytesProcessed(80);
                               })
      ->UseManualTime()
      ->Iterations(4)
      ->Threads(2);
  const std::vector<Report> runs = run();
  ASSERT_EQ(runs.size(), 1U);
  const auto value = [&](const char* name) { return runs[0].counters.at(name).value; };
  EXPECT_EQ(runs[0].iterations, 8) << "of both threads";
  EXPECT_DOUBLE_EQ(runs[0].GetAdjustedRealTime(), 0.5e9);
  EXPECT_DOUBLE_EQ(value("plain"), 6);
  EXPECT_DOUBLE_EQ(value("rate"), 3) << "2 s of each thread";
  EXPECT_DOUBLE_EQ(value("each"), 24);
  EXPECT_DOUBLE_EQ(value("average"), 0.75);
  EXPECT_DOUBLE_EQ(value("thread"), 3);
  EXPECT_DOUBLE_EQ(value("inverted"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value("items_per_second"), 40);
  EXPECT_DOUBLE_EQ(value("bytes_per_second"), 80);
}

TEST_F(Alone, IterationsAreKnownAfterTheLoop) {
  benchmark::RegisterBenchmark("range", [](State& state) {
    benchmark::IterationCount within = 0;
    for (auto _ : state) within += state.iterations();
    state.counters["within"] = static_cast<double>(within);
    state.counters["after"] = static_cast<double>(state.iterations());
  })->Iterations(10);
  benchmark::RegisterBenchmark("keep", [](State& state) {
    benchmark::IterationCount within = 0;
    while (state.KeepRunning()) within += state.iterations();
    state.counters["within"] = static_cast<double>(within);
    state.counters["after"] = static_cast<double>(state.iterations());
  })->Iterations(10);
  const std::vector<Report> runs = run();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].counters.at("within").value, 0);
  EXPECT_EQ(runs[1].counters.at("within").value, 55);
  for (const Report& one : runs) EXPECT_EQ(one.counters.at("after").value, 10);
}

// A machine that is busy with other things may stop it where time counts, but not each time.
TEST_F(Alone, PausesAreNotTimed) {
  benchmark::RegisterBenchmark("f",
                               [](State& state) {
                                 for (auto _ : state) {
                                   state.PauseTiming();
                                   std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                   state.ResumeTiming();
                                 }
                               })
      ->Iterations(10)
      ->ThreadRange(1, 2);
  constexpr double kMillisecond = 1e6;
  std::map<std::string, double> least;
  for (int attempt = 0; attempt < 20; ++attempt) {
    for (const Report& one : run()) {
      const auto [known, added] = least.try_emplace(one.benchmark_name(), one.GetAdjustedRealTime());
      known->second = std::min(known->second, one.GetAdjustedRealTime());
    }
    if (std::ranges::all_of(least, [](const auto& one) { return one.second < kMillisecond; })) break;
  }
  ASSERT_EQ(least.size(), 2U);
  for (const auto& [name, time] : least) EXPECT_LT(time, kMillisecond) << name;
}

TEST_F(Alone, FailuresStandInTheTableAndOthersContinue) {
  benchmark::RegisterBenchmark("wrong", [](State& state) { state.SkipWithError("no file"); })->Threads(2);
  benchmark::RegisterBenchmark("absent", [](State& state) {
    for (auto _ : state) {
      state.SkipWithMessage("not here");
      break;
    }
  });
  benchmark::RegisterBenchmark("throws", [](State& state) {
    for (auto _ : state) throw std::runtime_error("thrown");
  })->Threads(2);
  benchmark::RegisterBenchmark("idle", [](State& /*state*/) {});
  const std::string text = text_of(benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_None));
  EXPECT_THAT(text, HasSubstr("wrong/threads:# ERROR OCCURRED: 'no file'\n"));
  EXPECT_THAT(text, HasSubstr("absent SKIPPED: 'not here'\n"));
  EXPECT_THAT(text, HasSubstr("throws/threads:# ERROR OCCURRED: 'thrown'\n"));
  EXPECT_THAT(text, HasSubstr("idle ERROR OCCURRED: 'the benchmark returned before its loop was over"));
}

TEST_F(Alone, RepetitionsHaveStatistics) {
  static int call = 0;
  call = 0;
  benchmark::RegisterBenchmark("f",
                               [](State& state) {
                                 const int nth = call++ % 3 + 1;
                                 for (auto _ : state) state.SetIterationTime(nth);
                                 state.counters["nth"] = nth;
                               })
      ->UseManualTime()
      ->Iterations(2)
      ->Repetitions(3)
      ->Unit(benchmark::kSecond)
      ->ComputeStatistics("longest",
                          [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); });
  const std::vector<Report> runs = run();
  std::map<std::string, const Report*> by_name;
  for (const Report& one : runs) by_name[one.aggregate_name] = &one;
  ASSERT_EQ(runs.size(), 3U + 5U);
  EXPECT_DOUBLE_EQ(by_name.at("mean")->GetAdjustedRealTime(), 2);
  EXPECT_DOUBLE_EQ(by_name.at("median")->GetAdjustedRealTime(), 2);
  EXPECT_DOUBLE_EQ(by_name.at("stddev")->GetAdjustedRealTime(), 1);
  EXPECT_DOUBLE_EQ(by_name.at("cv")->real_accumulated_time, 0.5);
  EXPECT_DOUBLE_EQ(by_name.at("longest")->GetAdjustedRealTime(), 3);
  EXPECT_DOUBLE_EQ(by_name.at("longest")->counters.at("nth").value, 3);
  EXPECT_EQ(by_name.at("mean")->iterations, 3);
  say({"--benchmark_report_aggregates_only", "--benchmark_enable_random_interleaving"});
  EXPECT_EQ(run().size(), 5U);
}

TEST_F(Alone, SixRepetitionsGiveTheMedianAnInterval) {
  static int call = 0;
  benchmark::RegisterBenchmark("f",
                               [](benchmark::State& state) {
                                 const int nth = call++ % 9 + 1;
                                 for (auto _ : state) state.SetIterationTime(nth);
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(9)
      ->Unit(benchmark::kSecond);
  std::map<std::string, double> times;
  for (const Report& one : run()) times[one.aggregate_name] = one.GetAdjustedRealTime();
  // Of nine, two or more are on either side of the median with 1 - 2 (1 + 9) / 512 = 96.1 %.
  EXPECT_DOUBLE_EQ(times.at("median_low"), 2);
  EXPECT_DOUBLE_EQ(times.at("median_high"), 8);
  using benchmark::internal::median_interval;
  EXPECT_EQ(median_interval({6, 5, 4, 3, 2, 1}), std::pair(1.0, 6.0));
  std::vector<double> hundred(100);
  for (int i = 0; i < 100; ++i) hundred[static_cast<std::size_t>(i)] = i + 1;
  EXPECT_EQ(median_interval(hundred), std::pair(40.0, 61.0)) << "as in tables of the sign test";
}

TEST_F(Alone, ComplexityIsFitted) {
  benchmark::RegisterBenchmark("f",
                               [](State& state) {
                                 const auto n = static_cast<double>(state.range(0));
                                 for (auto _ : state) state.SetIterationTime(3e-9 * n * n);
                                 state.SetComplexityN(state.range(0));
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->RangeMultiplier(2)
      ->Range(8, 64)
      ->Complexity()
      ->Unit(benchmark::kMillisecond);
  const std::vector<Report> runs = run();
  ASSERT_EQ(runs.size(), 6U);
  EXPECT_EQ(runs[4].benchmark_name(), "f/iterations:1/manual_time_BigO");
  EXPECT_EQ(runs[4].complexity, benchmark::oNSquared);
  EXPECT_NEAR(runs[4].GetAdjustedRealTime(), 3, 1e-9);
  EXPECT_EQ(runs[5].benchmark_name(), "f/iterations:1/manual_time_RMS");
  EXPECT_NEAR(runs[5].GetAdjustedRealTime(), 0, 1e-9);
}

TEST_F(Alone, ManagersAreCalled) {
  struct Memory : benchmark::MemoryManager {
    void Start() override {}
    void Stop(Result& result) override { result.num_allocs = 32; }
  } memory;
  struct Profiler : benchmark::ProfilerManager {
    void AfterSetupStart() override { calls += "("; }
    void BeforeTeardownStop() override { calls += ")"; }
    std::string calls;
  } profiler;
  benchmark::RegisterMemoryManager(&memory);
  benchmark::RegisterProfilerManager(&profiler);
  benchmark::RegisterBenchmark("f", empty)->Iterations(100);
  const std::vector<Report> runs = run();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].memory_result.memory_iterations, 16);
  EXPECT_DOUBLE_EQ(runs[0].allocs_per_iter, 2);
  EXPECT_EQ(profiler.calls, "()");
}

TEST_F(Alone, ReportsHaveTheirForms) {
  benchmark::RegisterBenchmark("f", [](State& state) {
    for (auto _ : state) {
    }
    state.counters["extra"] = 1500;
    state.SetLabel("said \"so\"");
  });
  EXPECT_EQ(text_of(benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_None)),
            "-\nBenchmark Time CPU Iterations UserCounters...\n-\nf # ns # ns # extra=#k said \"so\"\n");
  EXPECT_EQ(text_of(benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_Tabular)),
            "-\nBenchmark Time CPU Iterations extra\n-\nf # ns # ns # #k said \"so\"\n");
  EXPECT_THAT(text_of(benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_Color)),
              HasSubstr("\033[#;#mf \033[m"));
  EXPECT_EQ(text_of(benchmark::CSVReporter()),
            "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,"
            "error_message,\"extra\"\n\"f\",#,#,#,ns,,,\"said \"\"so\"\"\",,,#\n");
  EXPECT_THAT(text_of(benchmark::JSONReporter()),
              HasSubstr(" {\n \"name\": \"f\",\n \"family_index\": #,\n \"per_family_instance_index\": #,\n"
                        " \"run_name\": \"f\",\n \"run_type\": \"iteration\",\n \"repetitions\": #,\n"
                        " \"repetition_index\": #,\n \"threads\": #,\n \"iterations\": #,\n \"real_time\": #,\n"
                        " \"cpu_time\": #,\n \"time_unit\": \"ns\",\n \"extra\": #,\n \"label\": \"said \\\"so\\\"\"\n"
                        " }\n ]\n}\n"));
}

TEST_F(Alone, CountersWithoutAColumnAreNamed) {
  benchmark::RegisterBenchmark("first", empty);
  benchmark::RegisterBenchmark("second", [](State& state) {
    for (auto _ : state) {
    }
    state.counters["late"] = 1;
  });
  benchmark::CSVReporter reporter;
  std::ostringstream out;
  std::ostringstream err;
  reporter.SetOutputStream(&out);
  reporter.SetErrorStream(&err);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  EXPECT_THAT(out.str(), HasSubstr("\"second\","));
  EXPECT_THAT(err.str(), HasSubstr("'second': its counter 'late' is left out"));
}

TEST_F(Alone, FlagsAreTakenAndOthersLeft) {
  EXPECT_THAT(say({"--own=1", "--benchmark_time_unit=ms", "--benchmark_context=key=value", "--v=2"}),
              ElementsAre("--own=1"));
  EXPECT_EQ(benchmark::GetDefaultTimeUnit(), benchmark::kMillisecond);
  EXPECT_EQ(benchmark::GetBenchmarkVerbosity(), 2);
  EXPECT_EQ(benchmark::internal::GetGlobalContext()->at("key"), "value");
  EXPECT_EXIT(say({"--benchmark_repetitions=many"}), testing::ExitedWithCode(1), "is not a whole number");
  EXPECT_EXIT(say({"--benchmark_format=xml"}), testing::ExitedWithCode(1), "it is one of console, json, csv");
  EXPECT_EXIT(say({"--benchmark_min_time=soon"}), testing::ExitedWithCode(1), "is not a number");
}

TEST_F(Alone, NumbersHavePrefixes) {
  using benchmark::internal::with_prefix;
  EXPECT_EQ(with_prefix(0, Counter::kIs1000), "0");
  EXPECT_EQ(with_prefix(999, Counter::kIs1000), "999");
  EXPECT_EQ(with_prefix(1000, Counter::kIs1000), "1k");
  EXPECT_EQ(with_prefix(-1500, Counter::kIs1000), "-1.5k");
  EXPECT_EQ(with_prefix(1'000'000, Counter::kIs1024), "976.562Ki");
  EXPECT_EQ(with_prefix(0.5, Counter::kIs1000), "0.5");
  EXPECT_EQ(with_prefix(0.005, Counter::kIs1000), "5m");
}

TEST(Ranges, EndAtTheLargestNumbersToo) {
  using Numbers = std::vector<std::int64_t>;
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(benchmark::CreateRange(-64, 64, 8), (Numbers{-64, -8, -1, 0, 1, 8, 64}));
  EXPECT_EQ(benchmark::CreateRange(0, 0, 8), Numbers{0});
  EXPECT_EQ(benchmark::CreateRange(0, 9, 8), (Numbers{0, 1, 8, 9}));
  EXPECT_EQ(benchmark::CreateRange(-9, -2, 2), (Numbers{-9, -8, -4, -2}));
  EXPECT_EQ(benchmark::CreateRange(-3, 0, 8), (Numbers{-3, -1, 0}));
  EXPECT_EQ(benchmark::CreateDenseRange(high - 1, high, 1), (Numbers{high - 1, high}));
  EXPECT_EQ(benchmark::CreateDenseRange(high - 4, high, 3), (Numbers{high - 4, high - 1}));
  EXPECT_EQ(benchmark::CreateDenseRange(low, low + 1, 2), Numbers{low});
  const Numbers all = benchmark::CreateRange(low, high, 8);
  EXPECT_EQ(all.front(), low);
  EXPECT_EQ(all.back(), high);
  EXPECT_EQ(all.size(), 45U);
  EXPECT_TRUE(std::ranges::is_sorted(all));
}

TEST(RangesDeathTest, AMultiplierThatNeverEndsIsRefused) {
  EXPECT_EXIT(benchmark::RegisterBenchmark("one", [](benchmark::State&) {})->RangeMultiplier(1),
              testing::ExitedWithCode(2), "benchmark 'one': has a range multiplier of 1: the least is 2");
}

}  // namespace
