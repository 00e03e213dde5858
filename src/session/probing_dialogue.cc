#include "session/probing_dialogue.h"

namespace tally {

using protocol::Phase;

DialogueAnswer ProbingDialogue::on(const PhaseReady& ready) {
  in_process_ = in_process_ || ready.in_process;
  phase_ = ready.phase;
  // Executions that a probe asks for are those beyond the lead's.
  if (phase_ == Phase::statement && !sample_.lead.empty()) iterations_ += sample_.lead.front().iterations;
  return next();
}

DialogueAnswer ProbingDialogue::on(RegionCounted region) {
  taken().push_back(std::move(region));
  return next();
}

/// Of this phase.
std::vector<RegionCounted>& ProbingDialogue::taken() {
  switch (phase_) {
    case Phase::baseline:
      return sample_.baseline;
    case Phase::lead:
      return sample_.lead;
    case Phase::statement:
      break;
  }
  return sample_.statement;
}

DialogueAnswer ProbingDialogue::next() {
  auto step = sample_.probe->next({.measured = measured_,
                                   .iterations = iterations_,
                                   .of_loop = phase_ == Phase::baseline,
                                   .of_statement = phase_ == Phase::statement,
                                   .in_process = in_process_,
                                   .taken = taken()});
  if (!step) return std::unexpected(CaseFailure{"host", describe(step.error()), {}, {}});
  if (*step) return **step;
  return Advance{};
}

}  // namespace tally
