/// The part of the dialogue with a case child that takes times: of the empty loop, then child after child of the
/// statement until measurement's rules have enough; then its allocations. Pure.
///
/// A block on a device ends with a wait for it, which takes a part of a millisecond, whatever was executed. Blocks of
/// one execution and of a few come first: they show what an execution and what a wait takes, and so how many executions
/// there must be between two waits. What a block of one takes is subtracted from each longer one: the wait goes, and
/// one execution.
///
/// Where the device's cache is written over before each execution, a block has one. What a wait takes is known of the
/// same blocks, in which the cache is warm, and is subtracted.
#pragma once

#include "measurement/autorange.h"
#include "measurement/device_times.h"
#include "session/dialogue_rules.h"

namespace tally {

class TimingDialogue {
 public:
  explicit TimingDialogue(const DialogueRules& rules) : rules_(rules) {}

  DialogueAnswer on(const PhaseReady& ready);
  DialogueAnswer on(ChildTimed timed);
  /// Its allocations.
  DialogueAnswer on(const RegionCounted& region);
  /// What was seen of the CPUs meanwhile.
  void watched(std::optional<WallWatch> watch) { wall_.watch = std::move(watch); }
  void deliver(CaseOutcome& outcome);

 private:
  [[nodiscard]] bool found_too_few(const ChildTimed& timed) const;
  [[nodiscard]] int most_retakes() const;
  AskTimes ask_times(std::uint64_t iterations, double budget_s, std::uint64_t children, bool last = false);
  [[nodiscard]] std::uint64_t runs_of_command() const;
  AskTimes ask_runs(std::uint64_t done);
  AskTimes ask_times_of_loop();
  AskTimes ask_times_of_statement();
  AskTimes ask_device_times(std::uint64_t iterations, double budget_s);
  AskTimes on_device_probe(const ChildTimed& timed);
  AskTimes ask_cold_times();
  void take_off_wait(ChildTimed& timed);
  [[nodiscard]] bool flushes() const { return rules_.measured->settings.flush == Flush::l2; }
  DialogueAnswer next();

  DialogueRules rules_;
  bool of_statement_ = false;  ///< The phase is, and not of the empty loop.
  WallProgress progress_;
  AskTimes asked_;                     ///< The last ones.
  std::uint64_t children_coming_ = 0;  ///< Of those.
  int retakes_ = 0;
  WallSamples wall_;
  enum class DeviceProbe { one_execution, some_executions, done };
  DeviceProbe device_probe_ = DeviceProbe::done;
  double one_execution_s_ = 0;  ///< On a device: a block of one, its wait included.
  std::optional<DeviceSamples> device_;
  std::optional<AllocationSample> allocations_;
};

}  // namespace tally
