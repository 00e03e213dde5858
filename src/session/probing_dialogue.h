/// The part of the dialogue with a case child that looks into it for a probe: requests the regions that the probe
/// wants, and keeps them. Pure.
#pragma once

#include "session/dialogue_rules.h"
#include "session/probe.h"

namespace tally {

class ProbingDialogue {
 public:
  explicit ProbingDialogue(const DialogueRules& rules)
      : measured_(*rules.measured), iterations_(rules.plan.iterations), sample_{.probe = rules.mode.probe} {}

  DialogueAnswer on(const PhaseReady& ready);
  DialogueAnswer on(RegionCounted region);
  void deliver(CaseOutcome& outcome) { outcome.probed.push_back(std::move(sample_)); }

 private:
  [[nodiscard]] std::vector<RegionCounted>& taken();
  DialogueAnswer next();

  const Case& measured_;
  std::uint64_t iterations_;
  protocol::Phase phase_ = protocol::Phase::baseline;
  bool in_process_ = false;
  ProbeSample sample_;
};

}  // namespace tally
