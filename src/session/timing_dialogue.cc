#include "session/timing_dialogue.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "measurement/statistics.h"

namespace tally {

namespace {

constexpr std::uint64_t kLoopBlocks = 100;            // of the empty loop, to time it
constexpr double kLoopBlockShare = 0.1;               // of a statement's block, in time
constexpr int kMostRetakes = 3;                       // of times whose blocks came out too short
constexpr int kMostLoopRetakes = 20;                  // which take a millisecond, and are taken off of all others
constexpr std::uint64_t kAllocationIterations = 100;  // at the most
constexpr std::uint64_t kSomeExecutions = 10;  // on a device: more may fill its queue, on which a host then waits
constexpr std::uint64_t kDeviceSamples = 10;   // of these
constexpr double kDeviceWarmUpS = 0.1;         // until a device has its clocks
constexpr double kMostWaitShare = 0.005;       // of a block, before it is subtracted
constexpr double kLongestBlockS = 0.25;        // on a device

std::uint64_t sample_count(const WallSamples& wall) {
  std::uint64_t count = 0;
  for (const auto& child : wall.by_child) count += child.size();
  return count;
}

void add_turn(WallSamples& all, WallSamples more) {
  all.watch = all.watch && more.watch
                  ? std::optional(pooled(*all.watch, sample_count(all), *more.watch, sample_count(more)))
                  : std::nullopt;
  std::ranges::move(more.by_child, std::back_inserter(all.by_child));
}

}  // namespace

DialogueAnswer TimingDialogue::on(const PhaseReady& ready) {
  of_statement_ = ready.phase == protocol::Phase::statement;
  if (!of_statement_) return ask_times_of_loop();
  if (ready.device.empty()) return ask_times_of_statement();
  device_.emplace();
  device_probe_ = DeviceProbe::one_execution;
  return ask_device_times(1, kDeviceWarmUpS);
}

AskTimes TimingDialogue::ask_times_of_statement() {
  const WallPlan& plan = rules_.plan.wall;
  if (plan.number > 0) return ask_times(plan.number, plan.min_run_time_s, 1);
  if (runs_of_command() > 0) return ask_runs(0);
  // The first child also finds out how many executions make a block; the others repeat that number.
  return ask_times(0, child_run_time_s(plan), 1);
}

DialogueAnswer TimingDialogue::on(ChildTimed timed) {
  if (timed.samples_s.empty())
    return std::unexpected(CaseFailure{"time", "the case's process sent no samples", {}, {}});
  if (device_probe_ != DeviceProbe::done) return on_device_probe(timed);
  if (found_too_few(timed) && retakes_ < most_retakes()) {
    ++retakes_;
    return asked_;
  }
  if (!of_statement_) {
    // Of many blocks, however long the machine stops the process in one of them: one interrupted block once passed for
    // a loop of 112 ns, which turned all of its case's times into 0.
    wall_.overhead_s = median(timed.samples_s);
    retakes_ = 0;
    return Advance{};
  }
  wall_.number_per_run = timed.number;
  // A time that the benchmark says has no loop in it, and none of our clock's grain.
  if (timed.manual) wall_.overhead_s = 0;
  wall_.clock_s = timed.manual ? 0 : rules_.timer_overhead_s;
  const auto number = static_cast<double>(timed.number);
  if (device_) take_off_wait(timed);
  double sampled_s = 0;
  for (double& sample : timed.samples_s) {
    sampled_s += sample * number;
    sample = std::max(sample - wall_.overhead_s, 0.0);
    progress_.measured_s += sample * number;
  }
  progress_.sampled_s += sampled_s;
  progress_.spent_s += std::max(timed.spent_s, sampled_s);
  progress_.steal_share = timed.steal_share;
  wall_.by_child.push_back(std::move(timed.samples_s));
  if (--children_coming_ > 0) return std::nullopt;
  return next();
}

/// The device has its clocks in the second half of the samples.
AskTimes TimingDialogue::on_device_probe(const ChildTimed& timed) {
  const std::span<const double> samples = timed.samples_s;
  const double each_s = median(samples.last((samples.size() + 1) / 2));
  const bool was_first = device_probe_ == DeviceProbe::one_execution;
  if (was_first) one_execution_s_ = each_s;
  if (was_first && each_s < kLongestBlockS / kSomeExecutions) {
    device_probe_ = DeviceProbe::some_executions;
    return ask_device_times(kSomeExecutions, kDeviceWarmUpS / 2);
  }
  device_probe_ = DeviceProbe::done;
  for (const double launch_s : timed.launch_s) device_->launch_s.push_back(std::max(launch_s - wall_.overhead_s, 0.0));
  if (flushes() && was_first) return ask_cold_times();
  const WallPlan& plan = rules_.plan.wall;
  if (plan.number > 0 && !flushes()) return ask_times(plan.number, plan.min_run_time_s, 1);
  if (was_first) return ask_times(1, child_run_time_s(plan), 1);
  constexpr double kLeastExecutionS = 1e-9;
  const auto some = static_cast<double>(kSomeExecutions);
  const double execution_s = std::max((some * each_s - one_execution_s_) / (some - 1), kLeastExecutionS);
  const double wait_s = std::max(one_execution_s_ - execution_s, 0.0);
  if (flushes()) {
    device_->wait_s = wait_s;
    return ask_cold_times();
  }
  const double block_s = std::max(least_block_s(plan, rules_.timer_overhead_s), wait_s / kMostWaitShare);
  const double number = std::ceil(std::min(block_s, kLongestBlockS) / execution_s);
  return ask_times(std::max(static_cast<std::uint64_t>(number), kSomeExecutions), child_run_time_s(plan), 1);
}

AskTimes TimingDialogue::ask_cold_times() {
  device_->flushed = true;
  ask_times(1, child_run_time_s(rules_.plan.wall), 1);
  asked_.flushes = true;
  return asked_;
}

/// From each sample: what a block of one execution takes, and that execution.
void TimingDialogue::take_off_wait(ChildTimed& timed) {
  const auto number = static_cast<double>(timed.number);
  std::ranges::move(timed.device_s, std::back_inserter(device_->device_s));
  if (flushes()) {
    for (double& sample : timed.samples_s) sample = std::max(sample - device_->wait_s, 0.0);
    return;
  }
  if (timed.number < kSomeExecutions) return;
  for (double& sample : timed.samples_s) sample = std::max((sample * number - one_execution_s_) / (number - 1), 0.0);
  device_->wait_s = std::max(one_execution_s_ - median(timed.samples_s), 0.0);
}

AskTimes TimingDialogue::ask_device_times(std::uint64_t iterations, double budget_s) {
  ask_times(iterations, budget_s, 1);
  asked_.least_samples = kDeviceSamples;
  asked_.of_statement = false;
  return asked_;
}

/// How many executions make a block is found by doubling until one lasts long enough. Where the machine stops the
/// process meanwhile they are too few: what is sampled is the clock's own price, and of an empty loop, taken off, it
/// turned all of a case's times into 0.
bool TimingDialogue::found_too_few(const ChildTimed& timed) const {
  if (asked_.iterations > 0 || timed.manual || rules_.measured->command) return false;
  const double each_s = of_statement_ ? std::ranges::min(timed.samples_s) : median(timed.samples_s);
  return each_s * static_cast<double>(timed.number) < asked_.block_s / 4;
}

int TimingDialogue::most_retakes() const { return of_statement_ ? kMostRetakes : kMostLoopRetakes; }

DialogueAnswer TimingDialogue::next() {
  const WallPlan& plan = rules_.plan.wall;
  if (const std::uint64_t runs = runs_of_command(); runs > 0) {
    const std::uint64_t done = sample_count(wall_);
    if (done < runs) return ask_runs(done);
    return Advance{};
  }
  // After the last one the state that another would be forked from is spent.
  if (!asked_.last && next_wall_step(plan, wall_.by_child, progress_) == WallStep::another_child) {
    const std::uint64_t children = wall_.by_child.size();
    const std::uint64_t more = next_children(plan, children, progress_.spent_s);
    const bool last = !rules_.counts_allocations && are_last(plan, children, more, progress_);
    const bool flushed = asked_.flushes;
    ask_times(wall_.number_per_run, child_budget_s(plan, progress_), more, last);
    asked_.flushes = flushed;
    return asked_;
  }
  if (!rules_.counts_allocations) return Advance{};
  return AskCount{std::min(rules_.plan.iterations, kAllocationIterations), true};
}

DialogueAnswer TimingDialogue::on(const RegionCounted& region) {
  allocations_ = AllocationSample{region.iterations, region.allocations, region.allocated_bytes};
  return Advance{};
}

/// In many short blocks: an empty loop is regular, and what the clock takes of a tenth of a block is nothing beside it.
AskTimes TimingDialogue::ask_times_of_loop() {
  constexpr double kLeastBlockS = 1e-6;
  ask_times(0, 0, 1);
  asked_.block_s = std::max(kLoopBlockShare * asked_.block_s, kLeastBlockS);
  asked_.budget_s = static_cast<double>(kLoopBlocks) * asked_.block_s;
  asked_.least_samples = kLoopBlocks;
  return asked_;
}

std::uint64_t TimingDialogue::runs_of_command() const {
  const auto& command = rules_.measured->command;
  return command ? static_cast<std::uint64_t>(command->runs) : 0;
}

/// The next part of as many executions as were wanted: intervals want several parts.
AskTimes TimingDialogue::ask_runs(std::uint64_t done) {
  constexpr std::uint64_t kParts = 5;
  const std::uint64_t runs = runs_of_command();
  ask_times(1, 0, 1);
  asked_.least_samples = std::min((runs + kParts - 1) / kParts, runs - done);
  return asked_;
}

AskTimes TimingDialogue::ask_times(std::uint64_t iterations, double budget_s, std::uint64_t children, bool last) {
  children_coming_ = children;
  asked_ = AskTimes{.iterations = iterations,
                    .block_s = least_block_s(rules_.plan.wall, rules_.timer_overhead_s),
                    .budget_s = budget_s,
                    .children = children,
                    .last = last,
                    .of_statement = of_statement_};
  return asked_;
}

void TimingDialogue::deliver(CaseOutcome& outcome) {
  if (outcome.wall) {
    add_turn(*outcome.wall, std::move(wall_));
  } else {
    outcome.wall = std::move(wall_);
  }
  outcome.allocations = allocations_;
  if (!device_) return;
  if (!outcome.device_times) {
    outcome.device_times = std::move(device_);
    return;
  }
  outcome.device_times->wait_s = device_->wait_s;
  outcome.device_times->flushed = device_->flushed;
  std::ranges::move(device_->launch_s, std::back_inserter(outcome.device_times->launch_s));
  std::ranges::move(device_->device_s, std::back_inserter(outcome.device_times->device_s));
}

}  // namespace tally
