/// The part of the talk with a case child that takes times: of the empty loop, then child after child of the statement
/// until measurement's rules have enough; then its allocations. Pure.
#pragma once

#include "execution/dialogue_rules.h"
#include "measurement/autorange.h"

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
  AskTimes ask_times_of_loop();
  DialogueAnswer next();

  DialogueRules rules_;
  bool of_statement_ = false;  ///< The phase is, and not of the empty loop.
  WallProgress progress_;
  AskTimes asked_;                     ///< The last ones.
  std::uint64_t children_coming_ = 0;  ///< Of those.
  int retakes_ = 0;
  WallSamples wall_;
  std::optional<AllocationSample> allocations_;
};

}  // namespace tally
