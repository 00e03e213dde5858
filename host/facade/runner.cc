#include "runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

constexpr double kMostElapsed = 5;  // by the clock, of the least time
constexpr IterationCount kMostIterations = 1'000'000'000'000;
/// Of a call that measures memory, so that what is allocated once weighs little time.
constexpr IterationCount kMostMemoryIterations = 16;

double min_time_of(const Definition& said, const Flags& flags) {
  if (flags.dry_run) return 0;
  if (said.min_time > 0) return said.min_time;
  return flags.iterations() ? std::strtod(kDefaultMinTimeStr, nullptr) : flags.min_seconds();
}

double warm_up_of(const Definition& said, const Flags& flags) {
  if (flags.dry_run) return 0;
  return said.min_warmup_time > 0 ? said.min_warmup_time : flags.min_warmup_time;
}

int repetitions_of(const Definition& said, const Flags& flags) {
  if (flags.dry_run) return 1;
  return said.repetitions > 0 ? said.repetitions : flags.repetitions;
}

IterationCount first_iterations(const Definition& said, const Flags& flags) {
  if (flags.dry_run) return 1;
  return said.iterations > 0 ? said.iterations : flags.iterations().value_or(1);
}

double finished(const ::tally::detail::Counter& counter, IterationCount iterations, double thread_s, int threads) {
  double value = counter.value;
  const auto has = [&](Counter::Flags flag) { return (counter.flags & static_cast<unsigned>(flag)) != 0; };
  if (has(Counter::kIsRate)) value /= thread_s;
  if (has(Counter::kAvgThreads)) value /= threads;
  if (has(Counter::kIsIterationInvariant)) value *= static_cast<double>(iterations);
  if (has(Counter::kAvgIterations)) value /= static_cast<double>(iterations);
  return has(Counter::kInvert) ? 1 / value : value;
}

}  // namespace

Managers& managers() {
  static Managers all;
  return all;
}

Runner::Runner(const Instance& instance, const Flags& flags)
    : instance_(instance),
      dry_(flags.dry_run),
      min_s_(min_time_of(instance.said(), flags)),
      warm_up_s_(warm_up_of(instance.said(), flags)),
      repetitions_(repetitions_of(instance.said(), flags)),
      fixed_(instance.said().iterations > 0 || flags.iterations().has_value()),
      iterations_(first_iterations(instance.said(), flags)) {}

Timed Runner::call() {
  set_up(*instance_.family, instance_.args, instance_.threads);
  const auto begin = std::chrono::steady_clock::now();
  Timed timed = run_timed(instance_, iterations_);
  timed.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  elapsed_s_ += timed.elapsed_s;
  tear_down(*instance_.family, instance_.args, instance_.threads);
  return timed;
}

double Runner::seconds(const Timed& timed) const {
  if (instance_.said().manual_time) return timed.notes.manual_s;
  return instance_.said().real_time ? timed.real_s : timed.cpu_s;
}

bool Runner::is_enough(const Timed& timed, double min_s) const {
  if (!timed.notes.skipped.empty() || dry_) return true;
  if (timed.iterations / instance_.threads >= kMostIterations || seconds(timed) >= min_s) return true;
  // It uses little CPU time, as one that sleeps does, or says little of its own: nobody wants to wait for it.
  if (instance_.said().manual_time) return elapsed_s_ >= kMostElapsed * min_s / 2;
  return timed.real_s >= kMostElapsed * min_s;
}

IterationCount Runner::longer(const Timed& timed, double min_s) const {
  const auto iterations = static_cast<double>(timed.iterations) / instance_.threads;
  const double took = seconds(timed);
  // Only a call of some length says how long others will be.
  double factor = took > 0.1 * min_s ? 1.4 * min_s / std::max(took, 1e-9) : 10;
  // Nor may the next call alone take longer than that.
  if (instance_.said().manual_time && timed.elapsed_s > 0)
    factor = std::min(factor, (kMostElapsed * min_s - elapsed_s_) / timed.elapsed_s);
  return std::min<IterationCount>(std::llround(std::max(factor * iterations, iterations + 1)), kMostIterations);
}

void Runner::warm_up() {
  const IterationCount before = iterations_;
  elapsed_s_ = 0;
  for (Timed timed = call(); !is_enough(timed, warm_up_s_); timed = call()) iterations_ = longer(timed, warm_up_s_);
  iterations_ = before;
}

void Runner::fill(BenchmarkReporter::Run& run, const Timed& timed) const {
  const Definition& said = instance_.said();
  run.real_accumulated_time = said.manual_time ? timed.notes.manual_s : timed.real_s;
  run.cpu_accumulated_time = timed.cpu_s;
  run.use_real_time_for_initial_big_o = said.manual_time;
  run.complexity_n = timed.notes.complexity_n;
  run.complexity = said.complexity;
  run.complexity_lambda = said.complexity_function;
  run.statistics = &said.statistics;
  // Times are sums over threads: what all do in a second is divided by what one took.
  const double thread_s = seconds(timed) / instance_.threads;
  for (const auto& [name, counter] : timed.notes.counters)
    run.counters[name] = Counter(finished(counter, timed.iterations, thread_s, instance_.threads),
                                 static_cast<Counter::Flags>(counter.flags), static_cast<Counter::OneK>(counter.base));
}

void Runner::measure_memory(BenchmarkReporter::Run& run) const {
  const IterationCount iterations = std::min(kMostMemoryIterations, iterations_);
  managers().memory->Start();
  set_up(*instance_.family, instance_.args, instance_.threads);
  run_alone(instance_, iterations, nullptr);
  tear_down(*instance_.family, instance_.args, instance_.threads);
  MemoryManager::Result result;
  managers().memory->Stop(result);
  result.memory_iterations = iterations;
  if (run.skipped != NotSkipped) return;
  run.memory_result = result;
  run.allocs_per_iter = static_cast<double>(result.num_allocs) / static_cast<double>(iterations);
}

void Runner::profile() const {
  set_up(*instance_.family, instance_.args, instance_.threads);
  run_alone(instance_, iterations_, managers().profiler);
  tear_down(*instance_.family, instance_.args, instance_.threads);
}

BenchmarkReporter::Run Runner::repeat() {
  if (done_ == 0 && warm_up_s_ > 0) warm_up();
  elapsed_s_ = 0;
  Timed timed = call();
  while (done_ == 0 && !fixed_ && !is_enough(timed, min_s_)) {
    iterations_ = longer(timed, min_s_);
    timed = call();
  }

  BenchmarkReporter::Run run;
  run.run_name = instance_.name;
  run.family_index = instance_.family_index;
  run.per_family_instance_index = instance_.index_in_family;
  run.report_label = timed.notes.label;
  run.iterations = timed.iterations;
  run.time_unit = instance_.family->GetTimeUnit();
  run.threads = instance_.threads;
  run.repetition_index = done_;
  run.repetitions = repetitions_;
  if (timed.notes.skipped.empty()) {
    fill(run, timed);
  } else {
    run.skipped = timed.notes.is_error ? SkippedWithError : SkippedWithMessage;
    run.skip_message = timed.notes.skipped;
  }
  if (managers().memory != nullptr) measure_memory(run);
  if (managers().profiler != nullptr) profile();
  ++done_;
  return run;
}

}  // namespace internal

TALLYMARK_FACADE_END
