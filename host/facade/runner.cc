#include "runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "team.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

using ::tally::detail::Call;
using ::tally::detail::CountedCall;
using ::tally::detail::Facts;
using ::tally::detail::Meter;

constexpr IterationCount kMostIterations = 1'000'000'000'000;
constexpr double kLongEnough = 5;  // times the least time, by the clock: enough, whatever is decisive

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double cpu_s(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The clock on the wall and that of the thread, or of the process.
class Clocks : public Meter {
 public:
  explicit Clocks(clockid_t cpu) : cpu_(cpu) {}
  void start() override { resume(); }
  void finish() override { pause(); }
  void pause() override {
    real += now_s() - real_at_;
    processor += cpu_s(cpu_) - cpu_at_;
  }
  void resume() override {
    cpu_at_ = cpu_s(cpu_);
    real_at_ = now_s();
  }
  void add_manual_time(double /*seconds*/) override {}

  double real = 0;
  double processor = 0;

 private:
  clockid_t cpu_;
  double real_at_ = 0;
  double cpu_at_ = 0;
};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "benchmark '%s': %s\n", name.c_str(), why.c_str());
  std::exit(1);
}

}  // namespace

MemoryManager*& memory_manager() {
  static MemoryManager* manager = nullptr;
  return manager;
}

ProfilerManager*& profiler_manager() {
  static ProfilerManager* manager = nullptr;
  return manager;
}

Runner::Runner(const Instance& instance)
    : instance_(instance),
      repetitions_(flags().dry_run                   ? 1
                   : instance.said().repetitions > 0 ? instance.said().repetitions
                                                     : flags().repetitions),
      given_(flags().dry_run ? 1 : instance.said().iterations),
      iterations_(1) {
  if (given_ == 0 && instance.said().min_time == 0) given_ = flags().iterations().value_or(0);
  if (given_ > 0) iterations_ = given_;
}

double Runner::min_seconds() const {
  return instance_.said().min_time > 0 ? instance_.said().min_time : flags().min_seconds();
}

bool Runner::displays_aggregates_only() const {
  const auto said = instance_.said().aggregation;
  if (said != ARM_Unspecified) return (said & ARM_DisplayReportAggregatesOnly) != 0;
  return flags().report_aggregates_only || flags().display_aggregates_only;
}

bool Runner::files_aggregates_only() const {
  const auto said = instance_.said().aggregation;
  if (said != ARM_Unspecified) return (said & ARM_FileReportAggregatesOnly) != 0;
  return flags().report_aggregates_only;
}

Runner::Outcome Runner::run_once(IterationCount iterations) {
  const Definition& said = instance_.said();
  const bool process = said.process_cpu_time || instance_.threads > 1;
  Clocks clocks(process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
  Facts facts;
  Outcome outcome;
  const auto count = static_cast<std::uint64_t>(iterations);
  set_up(*instance_.family, instance_.args, instance_.threads);
  if (instance_.threads == 1) {
    CountedCall call(facts, instance_.args, count, &clocks);
    run_function(*instance_.family, call, instance_.full_name);
    outcome.notes = call.notes();
    outcome.iterations = static_cast<IterationCount>(call.done());
    if (!call.over() && outcome.notes.skipped.empty())
      refuse(instance_.full_name, "it returned before its loop was over, and has not said that it is skipped");
  } else {
    const auto result =
        ::tally::detail::run_team([this](Call& call) { run_function(*instance_.family, call, instance_.full_name); },
                                  facts, instance_.args, count, instance_.threads, &clocks);
    outcome.notes = result.notes;
    outcome.iterations = static_cast<IterationCount>(result.done) * instance_.threads;
    if (!result.failed.empty() && outcome.notes.skipped.empty()) refuse(instance_.full_name, result.failed);
    clocks.real = clocks.real * instance_.threads - result.paused_s;
  }
  tear_down(*instance_.family, instance_.args, instance_.threads);
  outcome.real_s = clocks.real;
  outcome.cpu_s = clocks.processor;
  outcome.manual_s = outcome.notes.manual_s;
  return outcome;
}

/// Per thread.
double Runner::decisive(const Outcome& outcome) const {
  const Definition& said = instance_.said();
  const double all = said.manual_time ? outcome.manual_s : said.real_time ? outcome.real_s : outcome.cpu_s;
  return all / instance_.threads;
}

IterationCount Runner::more(const Outcome& outcome, double wanted_s) const {
  const double seconds = decisive(outcome);
  const double factor = seconds > wanted_s / 10 ? wanted_s * 1.4 / std::max(seconds, 1e-9) : 10;
  const auto each = static_cast<double>(outcome.iterations) / instance_.threads;
  return std::min(static_cast<IterationCount>(std::llround(std::max(factor * each, each + 1))), kMostIterations);
}

void Runner::warm_up() {
  const double wanted =
      instance_.said().min_warmup_time > 0 ? instance_.said().min_warmup_time : flags().min_warmup_time;
  if (wanted <= 0 || given_ > 0) return;
  const IterationCount before = iterations_;
  for (;;) {
    const Outcome outcome = run_once(iterations_);
    if (!outcome.notes.skipped.empty() || iterations_ >= kMostIterations || decisive(outcome) >= wanted ||
        outcome.real_s / instance_.threads >= kLongEnough * wanted)
      break;
    iterations_ = more(outcome, wanted);
  }
  // Where the least time is shorter than the warm-up, its number of iterations would be too large.
  if (min_seconds() < wanted) iterations_ = before;
}

MemoryManager::Result Runner::measure_memory() {
  MemoryManager::Result result;
  if (memory_manager() == nullptr) return result;
  const IterationCount iterations = std::min<IterationCount>(16, iterations_);
  memory_manager()->Start();
  run_once(iterations);
  memory_manager()->Stop(result);
  result.memory_iterations = iterations;
  return result;
}

void Runner::run_one_repetition() {
  const bool first = runs_.empty();
  if (first) warm_up();
  Outcome outcome;
  for (;;) {
    outcome = run_once(iterations_);
    const double seconds = decisive(outcome);
    if (!first || given_ > 0 || !outcome.notes.skipped.empty() || iterations_ >= kMostIterations ||
        seconds >= min_seconds() || outcome.real_s / instance_.threads >= kLongEnough * min_seconds())
      break;
    iterations_ = more(outcome, min_seconds());
  }
  const MemoryManager::Result memory = measure_memory();
  if (profiler_manager() != nullptr) {
    profiler_manager()->AfterSetupStart();
    run_once(iterations_);
    profiler_manager()->BeforeTeardownStop();
  }
  BenchmarkReporter::Run run = report(outcome);
  if (memory.memory_iterations > 0) {
    run.memory_result = memory;
    run.allocs_per_iter = static_cast<double>(memory.num_allocs) / static_cast<double>(memory.memory_iterations);
  }
  runs_.push_back(std::move(run));
}

BenchmarkReporter::Run Runner::report(const Outcome& outcome) const {
  const Definition& said = instance_.said();
  BenchmarkReporter::Run run;
  run.run_name = instance_.name;
  run.family_index = instance_.family_index;
  run.per_family_instance_index = instance_.index_in_family;
  run.report_label = outcome.notes.label;
  run.skipped = outcome.notes.skipped.empty() ? NotSkipped
                : outcome.notes.is_error      ? SkippedWithError
                                              : SkippedWithMessage;
  run.skip_message = outcome.notes.skipped;
  run.iterations = outcome.iterations;
  run.time_unit = instance_.family->GetTimeUnit();
  run.threads = instance_.threads;
  run.repetition_index = static_cast<std::int64_t>(runs_.size());
  run.repetitions = repetitions_;
  if (run.skipped != NotSkipped) return run;
  run.real_accumulated_time = said.manual_time ? outcome.manual_s : outcome.real_s;
  run.cpu_accumulated_time = outcome.cpu_s;
  run.use_real_time_for_initial_big_o = said.manual_time;
  run.complexity = said.complexity;
  run.complexity_lambda = said.complexity_function;
  run.complexity_n = outcome.notes.complexity_n;
  run.statistics = &said.statistics;
  const auto executions = static_cast<double>(outcome.iterations);
  for (const auto& [name, told] : outcome.notes.counters) {
    double value = told.value;
    if ((told.flags & Counter::kIsRate) != 0) value /= decisive(outcome);
    if ((told.flags & Counter::kAvgThreads) != 0) value /= instance_.threads;
    if ((told.flags & Counter::kIsIterationInvariant) != 0) value *= executions;
    if ((told.flags & Counter::kAvgIterations) != 0) value /= executions;
    if ((told.flags & static_cast<unsigned>(Counter::kInvert)) != 0) value = 1 / value;
    run.counters[name] = Counter(value, static_cast<Counter::Flags>(told.flags), static_cast<Counter::OneK>(told.base));
  }
  return run;
}

}  // namespace internal

TALLYMARK_FACADE_END
