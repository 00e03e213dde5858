#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/jobs.h"
#include "run/probes/kernels.h"
#include "run/probes/table.h"
#include "session/case_dialogue.h"

namespace tally {
namespace {

using protocol::Phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A probe's talk with a case child that nobody is, and the cases that it is for.
class ProbesTest : public ::testing::Test {
 protected:
  ProbesTest() : cases_(3) {
    cases_[0].threads = 2;
    cases_[1].language = Language::python;
  }

  CaseDialogue begin(const KeptProbe& probe) {
    return CaseDialogue(
        {.measured = cases_.data(), .toolchain = &toolchain_, .mode = Mode(probe.probe), .plan = case_plan({}, {})});
  }
  static RegionCounted counted(std::uint64_t instructions, int thread = 0) {
    return {.iterations = 100, .thread = thread, .totals = Totals{{"Ir"}, {instructions}}, .dump = "text"};
  }
  static AskCount count_of(const std::optional<CaseCommand>& command) { return std::get<AskCount>(command.value()); }
  static bool advances(const std::optional<CaseCommand>& command) {
    return command && std::holds_alternative<Advance>(*command);
  }
  static CaseOutcome outcome_of(CaseDialogue& dialogue) {
    CaseOutcome outcome;
    dialogue.deliver(outcome, {});
    return outcome;
  }
  /// The cases that it has jobs for.
  std::vector<std::size_t> cases_of(const KeptProbe& probe, bool counts = true) {
    std::vector<Job> jobs;
    const std::vector<const Probe*> probes = {&probe.probe};
    add_probing_jobs(jobs, cases_, {{"", {.spec = toolchain_}}}, probes, counts, {});
    std::vector<std::size_t> indices;
    indices.reserve(jobs.size());
    for (const Job& job : jobs) indices.push_back(job.index);
    return indices;
  }
  Status keep(const KeptProbe& probe, const ProbeSample& found, CaseRecord& record) {
    ObjectNames names;
    SourceLines lines;
    std::string baseline;
    ProbeContext context{.measured = cases_[0],
                         .record = record,
                         .profile = nullptr,
                         .baseline = baseline,
                         .folder = {},
                         .keeps_sources = false,
                         .keeps_traces = false,
                         .working_folder = "/",
                         .names = names,
                         .lines = lines};
    return probe.keep(found, context);
  }

  std::vector<Case> cases_;
  Toolchain toolchain_;
};

TEST_F(ProbesTest, EachIsInTheTableOnceAndFoundByItsSession) {
  for (const KeptProbe* probe : probes::kTable) {
    EXPECT_EQ(ProbeSet::of_profiles().contains(*probe), probe->asked == KeptProbe::Asked::with_profiles);
    EXPECT_FALSE(ProbeSet().contains(*probe));
    EXPECT_EQ(&probe_of({.probe = &probe->probe, .baseline = {}, .statement = {}}), probe);
    EXPECT_EQ(to_string(Mode(probe->probe)), probe->probe.name);
  }
  EXPECT_THAT(probes_to_execute({}), ElementsAre(&probes::kThreads.probe)) << "the others are requested";
  ProbeSet some = ProbeSet::of_profiles();
  some.set(probes::kLines, false);
  EXPECT_THAT(probes_to_execute(some), ElementsAre(&probes::kCalls.probe, &probes::kAllocationSites.probe,
                                                   &probes::kPythonFunctions.probe, &probes::kThreads.probe));
}

TEST_F(ProbesTest, EachIsForItsCases) {
  EXPECT_THAT(cases_of(probes::kLines), ElementsAre(0, 2));
  EXPECT_THAT(cases_of(probes::kPythonFunctions), ElementsAre(1));
  EXPECT_THAT(cases_of(probes::kAllocationSites), ElementsAre(0, 1, 2));
}

TEST_F(ProbesTest, WithoutCountsOnlyThoseAreLeftThatCountNothing) {
  EXPECT_THAT(cases_of(probes::kLines, false), IsEmpty());
  EXPECT_THAT(cases_of(probes::kAllocationSites, false), SizeIs(3));
}

TEST_F(ProbesTest, ThreadsAreCountedOneAtATimeOfProgramsWithATeam) {
  EXPECT_THAT(cases_of(probes::kThreads), IsEmpty());
  toolchain_.own_host.executable = "/usr/bin/bench";
  cases_[1].threads = 17;
  EXPECT_THAT(cases_of(probes::kThreads), ElementsAre(0));
  toolchain_.own_host.preload = "/ours.so";
  EXPECT_THAT(cases_of(probes::kThreads), IsEmpty());
}

TEST_F(ProbesTest, WhatAHostHasForAProbeMakesItAnother) {
  const auto kind = [&](Mode mode) { return kind_of({.index = 0, .mode = mode}, cases_[0]); };
  EXPECT_EQ(describe(kind(Mode(probes::kAllocationSites.probe))), "C++ host of  with allocation sites");
  EXPECT_EQ(kind(Mode(probes::kThreads.probe)), kind(Mode::counts));
}

TEST_F(ProbesTest, CallsAreFollowedWhereTheCaseIsCounted) {
  EXPECT_EQ(kind_of({.index = 0, .mode = Mode(probes::kCalls.probe)}, cases_[0]),
            kind_of({.index = 0, .mode = Mode::counts}, cases_[0]));
  const auto followed = [](std::uint64_t instructions) {
    RegionCounted region = counted(instructions);
    region.followed = protocol::Followed::calls;
    return region;
  };
  CaseDialogue dialogue = begin(probes::kCalls);
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::baseline})).followed, protocol::Followed::calls);
  EXPECT_EQ(count_of(dialogue.on(followed(1000))).followed, protocol::Followed::nothing)
      << "the child's own: it is to be as where it is counted";
  EXPECT_TRUE(advances(dialogue.on(counted(1000))));
  const AskCount of_statement = count_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_EQ(of_statement.followed, protocol::Followed::calls);
  EXPECT_FALSE(of_statement.last) << "forked, as what is counted";
  EXPECT_TRUE(advances(dialogue.on(followed(6000))));
  EXPECT_TRUE(dialogue.complete());

  CaseDialogue in_process = begin(probes::kCalls);
  EXPECT_EQ(count_of(in_process.on(PhaseReady{.phase = Phase::baseline, .in_process = true})).followed,
            protocol::Followed::calls);
  EXPECT_TRUE(advances(in_process.on(followed(1000))));
}

TEST_F(ProbesTest, AProgramThatFollowsNoCallsIsNotTakenAtItsWord) {
  CaseDialogue earlier = begin(probes::kCalls);
  earlier.on(PhaseReady{Phase::baseline});
  EXPECT_TRUE(advances(earlier.on(counted(1000))));
  EXPECT_THAT(earlier.failure().value().message, HasSubstr("built with an earlier tallymark"));
}

TEST_F(ProbesTest, PythonCallsAreObservedOnceAndTheLoopGoesWithThem) {
  CaseDialogue dialogue = begin(probes::kPythonFunctions);
  EXPECT_FALSE(count_of(dialogue.on(PhaseReady{Phase::baseline})).last);
  EXPECT_TRUE(advances(dialogue.on(counted(1000))));
  EXPECT_TRUE(count_of(dialogue.on(PhaseReady{Phase::statement})).last);
  RegionCounted region = counted(6000);
  region.left = "table";
  EXPECT_TRUE(advances(dialogue.on(std::move(region))));
  EXPECT_TRUE(dialogue.complete());
  const CaseOutcome outcome = outcome_of(dialogue);
  ASSERT_THAT(outcome.probed, SizeIs(1));
  EXPECT_EQ((*outcome.probed[0].baseline.at(0).totals)->values.front(), 1000U);
  EXPECT_EQ(outcome.probed[0].statement.at(0).dump, "text");
  EXPECT_EQ(outcome.probed[0].statement.at(0).left, "table");
  EXPECT_FALSE(outcome.counts) << "these are no counts";
}

TEST_F(ProbesTest, AnObserverThatLeavesNothingIsAFailure) {
  for (const KeptProbe* probe : {&probes::kPythonFunctions, &probes::kAllocationSites}) {
    CaseDialogue dialogue = begin(*probe);
    if (!advances(dialogue.on(PhaseReady{Phase::baseline}))) dialogue.on(counted(1000));
    dialogue.on(PhaseReady{Phase::statement});
    EXPECT_TRUE(advances(dialogue.on(counted(6000)))) << "nobody else would end it";
    EXPECT_THAT(dialogue.failure().value().message, HasSubstr("left no"));
    EXPECT_FALSE(dialogue.complete());
  }
}

TEST_F(ProbesTest, OneThatIsGivenUpLeavesItsLoops) {
  CaseDialogue dialogue = begin(probes::kPythonFunctions);
  dialogue.on(PhaseReady{Phase::baseline});
  RegionCounted unreadable = counted(0);
  unreadable.totals = fail(ErrorKind::failed, "no totals");
  EXPECT_TRUE(advances(dialogue.on(std::move(unreadable)))) << "nobody else would end it";
  EXPECT_TRUE(advances(dialogue.on(PhaseReady{Phase::statement})));
  EXPECT_FALSE(dialogue.complete());
  EXPECT_TRUE(dialogue.failure());
}

TEST_F(ProbesTest, InstructionsAreTakenWhereTheCaseIsCountedAfterTheEmptyLoop) {
  EXPECT_EQ(kind_of({.index = 0, .mode = Mode(probes::kLines.probe)}, cases_[0]),
            kind_of({.index = 0, .mode = Mode::counts}, cases_[0]));
  CaseDialogue dialogue = begin(probes::kLines);
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::baseline})).followed, protocol::Followed::nothing);
  EXPECT_TRUE(advances(dialogue.on(counted(1000))));
  const AskCount of_statement = count_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_EQ(of_statement.followed, protocol::Followed::instructions);
  EXPECT_FALSE(of_statement.last) << "forked, as what is counted";
  RegionCounted region = counted(6000);
  region.followed = protocol::Followed::instructions;
  EXPECT_TRUE(advances(dialogue.on(std::move(region))));
  EXPECT_TRUE(dialogue.complete());
  EXPECT_EQ(outcome_of(dialogue).probed.at(0).statement.at(0).dump, "text");
}

TEST_F(ProbesTest, InstructionsOfACommandAreThoseOfItsOwnHost) {
  cases_[0].command = CommandLine{};
  EXPECT_EQ(kind_of({.index = 0, .mode = Mode(probes::kLines.probe)}, cases_[0]).probe,
            probes::kLines.probe.command_host);
  CaseDialogue dialogue = begin(probes::kLines);
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::baseline})).followed, protocol::Followed::nothing);
  EXPECT_TRUE(advances(dialogue.on(counted(1000))));
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::statement})).followed, protocol::Followed::nothing);
  EXPECT_TRUE(advances(dialogue.on(counted(6000))));
  EXPECT_TRUE(dialogue.complete());
}

TEST_F(ProbesTest, AProgramThatKeepsNoInstructionsIsNotTakenAtItsWord) {
  CaseDialogue earlier = begin(probes::kLines);
  earlier.on(PhaseReady{Phase::baseline});
  earlier.on(counted(1000));
  earlier.on(PhaseReady{Phase::statement});
  earlier.on(counted(6000));
  ASSERT_TRUE(earlier.failure());
  EXPECT_THAT(earlier.failure()->message, HasSubstr("keeps no instructions"));
}

TEST_F(ProbesTest, CallgrindFindsLinesInHostsOfItsOwn) {
  const std::vector<const Probe*> probes = probes_to_execute(ProbeSet::of_profiles(), true);
  const auto lines = std::ranges::find(probes, std::string_view("lines"), &Probe::name);
  ASSERT_NE(lines, probes.end());
  EXPECT_EQ(describe(kind_of({.index = 0, .mode = Mode(**lines)}, cases_[0])), "C++ host of  with source lines");
  EXPECT_EQ(&probe_of({.probe = *lines}), &probes::kLines);
  EXPECT_EQ(&probe_of({.probe = &probes::kLines.probe}), &probes::kLines);
}

TEST_F(ProbesTest, AllocationsAreRecordedOfTheStatementAlone) {
  CaseDialogue dialogue = begin(probes::kAllocationSites);
  EXPECT_TRUE(advances(dialogue.on(PhaseReady{Phase::baseline})));
  const AskCount asked = count_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_EQ(asked.iterations, 100U);
  EXPECT_TRUE(asked.last);
  EXPECT_TRUE(advances(dialogue.on(RegionCounted{.left = "allocations 1\nend\n"})));
  EXPECT_TRUE(dialogue.complete());
  EXPECT_FALSE(dialogue.needs_no_more()) << "nothing is spared by killing a native child";
}

/// The empty loop once more in the child itself, as a session has it that counts all of them at once.
TEST_F(ProbesTest, EachThreadIsCountedAloneInAForkOfItsOwn) {
  CaseDialogue dialogue = begin(probes::kThreads);
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::baseline})).thread, 1);
  EXPECT_EQ(count_of(dialogue.on(counted(10'100, 1))).thread, 2);
  EXPECT_EQ(count_of(dialogue.on(counted(11'100, 2))).thread, 0);
  EXPECT_TRUE(advances(dialogue.on(counted(200))));
  const AskCount first = count_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_EQ(first.thread, 1);
  const AskCount second = count_of(dialogue.on(counted(110'100, 1)));
  EXPECT_EQ(second.thread, 2);
  EXPECT_FALSE(first.last || second.last);
  EXPECT_TRUE(advances(dialogue.on(counted(211'100, 2))));
  EXPECT_TRUE(dialogue.needs_no_more());
  const CaseOutcome outcome = outcome_of(dialogue);
  EXPECT_FALSE(outcome.counts) << "they stand beside the whole";
  CaseRecord record;
  record.counts = Counts{.per_iteration = 3000};
  ASSERT_TRUE(keep(probes::kThreads, outcome.probed.at(0), record));
  EXPECT_EQ(record.counts->per_thread, (std::vector<double>{1000, 2000}));
}

TEST_F(ProbesTest, ThreadsThatDoNotAddUpAreRefused) {
  CaseRecord record;
  record.counts = Counts{.per_iteration = 3000};
  const ProbeSample found{.probe = &probes::kThreads.probe,
                          .baseline = {counted(100, 1), counted(100, 2), counted(200)},
                          .statement = {counted(100'100, 1), counted(300'100, 2)}};
  const Status kept = keep(probes::kThreads, found, record);
  ASSERT_FALSE(kept);
  EXPECT_FALSE(record.counts->per_thread);
  EXPECT_EQ(probes::kThreads.probe.warning(describe(kept.error())),
            "what each of its threads executes is not known: counted one at a time they execute 4000 instructions, and "
            "all at once 3000");
}

TEST_F(ProbesTest, AHeapPeakIsWhatTheRecorderSays) {
  const auto kept = [&](const std::string& left) {
    CaseRecord record;
    record.counts = Counts{};
    const ProbeSample found{
        .probe = &probes::kHeapPeak.probe, .baseline = {}, .statement = {RegionCounted{.left = left}}};
    const Status status = keep(probes::kHeapPeak, found, record);
    return std::pair(status ? "" : describe(status.error()), record.counts->heap_peak);
  };
  EXPECT_EQ(kept("peak 4096\n"), std::pair(std::string(), std::optional(4096.0)));
  EXPECT_EQ(kept("peak 4096\nlost 2\n").second, std::nullopt) << "it may be more";
  EXPECT_THAT(kept("").first, HasSubstr("left nothing"));
  EXPECT_THAT(kept("peak \n").first, HasSubstr("left nothing"));
}

/// Two executions of two kernels, one of them launched by a graph, and a copy.
std::string trace_of(bool dropped, const std::string& more = {}, int second_device = 0) {
  std::string text = R"({"traceEvents": [)";
  const auto add = [&](const std::string& event) { text += (text.back() == '[' ? "" : ",\n") + event; };
  const auto call = [&](const char* name, int correlation, int at) {
    add(fmt::format(R"({{"ph": "X", "cat": "cuda_runtime", "name": "{}", "pid": 1, "tid": 1, "ts": {}.0, "dur": 2.0,
"args": {{"correlation": {}}}}})",
                    name, at, correlation));
  };
  const auto work = [&](const char* category, const char* name, int correlation, int at, int lasts, int device = 0) {
    add(fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": 7, "ts": {}.0, "dur": {}.0,
"args": {{"device": {}, "stream": 7, "correlation": {}}}}})",
                    category, name, device, at, lasts, device, correlation));
  };
  for (int i = 0; i < 2; ++i) {
    call("cudaLaunchKernel", 10 * i + 1, 100 * i);
    call("cudaGraphLaunch", 10 * i + 2, 100 * i + 3);
    call("cudaMemcpyAsync", 10 * i + 3, 100 * i + 6);
    work("kernel", "add", 10 * i + 1, 100 * i + 10, 10);
    if (!dropped) work("kernel", "mul", 10 * i + 2, 100 * i + 20, 20 + 2 * i, second_device);
    work("gpu_memcpy", "Memcpy HtoD", 10 * i + 3, 100 * i + 50, 5);
    if (!more.empty()) call(more.c_str(), 10 * i + 4, 100 * i + 9);
  }
  return text + "]}";
}

TEST_F(ProbesTest, KernelsAreCountedAndTheirTimeAddedUp) {
  const auto work = device_work(trace_of(false), 2);
  ASSERT_TRUE(work) << describe(work.error());
  EXPECT_EQ(work->kernels, 2);
  EXPECT_EQ(work->copies, 1);
  EXPECT_EQ(work->launches, 3);
  EXPECT_NEAR(work->kernel_time_s, 31e-6, 1e-12);
  EXPECT_LT(work->kernel_time_interval_s.low, work->kernel_time_s);
  ASSERT_THAT(work->by_name, SizeIs(2));
  EXPECT_EQ(work->by_name[0].name, "mul");
  EXPECT_NEAR(work->by_name[0].time_s, 21e-6, 1e-12);
  EXPECT_EQ(work->devices, std::vector<std::uint32_t>{0});
  EXPECT_EQ(device_work(trace_of(false, {}, 3), 2).value().devices, (std::vector<std::uint32_t>{0, 3}));
}

TEST_F(ProbesTest, KernelsOfACaseWithAColdCacheAreMarkedToBeOfAWarmOne) {
  for (const bool cold : {false, true}) {
    CaseRecord record;
    record.on_device = OnDevice{.name = "cuda"};
    if (cold) record.on_device->flush = "l2";
    const ProbeSample found{.statement = {{.iterations = 2, .left = trace_of(false)}}};
    ASSERT_TRUE(keep(probes::kKernels, found, record));
    EXPECT_EQ(record.on_device->work.value().cache, cold ? std::optional<std::string>("warm") : std::nullopt);
    EXPECT_EQ(has_warm_work(*record.on_device), cold);
  }
}

TEST_F(ProbesTest, ATraceThatLacksTheWorkOfALaunchHasNoFigures) {
  const auto work = device_work(trace_of(true), 2);
  ASSERT_FALSE(work);
  EXPECT_THAT(describe(work.error()), HasSubstr("the profiler dropped some: of 4 launches, 2 have no work"));
  EXPECT_FALSE(device_work("no trace", 2));
}

/// A training step with convolutions has one of the first in each execution, on an H100 with PyTorch 2.11.
TEST_F(ProbesTest, CallsThatGiveADeviceNothingToDoAreNotDropped) {
  for (const char* const name : {"cudaMemsetAsync", "cudaMemcpyAsync", "cudaLaunchHostFunc"}) {
    const auto work = device_work(trace_of(false, name), 2);
    ASSERT_TRUE(work) << name << ": " << describe(work.error());
    EXPECT_EQ(work->kernels, 2);
    EXPECT_EQ(work->copies, 1);
  }
  for (const char* const name : {"cudaLaunchKernelExC", "cuLaunchKernelEx", "hipModuleLaunchKernel"})
    EXPECT_FALSE(device_work(trace_of(false, name), 2)) << name;
}

TEST_F(ProbesTest, WhatCannotCountASingleThreadIsNotTakenAtItsWord) {
  CaseDialogue earlier = begin(probes::kThreads);
  earlier.on(PhaseReady{Phase::baseline});
  EXPECT_TRUE(advances(earlier.on(counted(200))));
  EXPECT_THAT(earlier.failure().value().message, HasSubstr("built with an earlier tallymark"));
  CaseDialogue working = begin(probes::kThreads);
  EXPECT_TRUE(advances(working.on(PhaseReady{.phase = Phase::baseline, .in_process = true})));
  EXPECT_THAT(working.failure().value().message, HasSubstr("others than its team's"));
}

}  // namespace
}  // namespace tally
