#include "execution/probing_dialogue.h"

namespace tally {

DialogueAnswer ProbingDialogue::on(const PhaseReady& ready) {
  in_process_ = in_process_ || ready.in_process;
  of_statement_ = ready.phase == protocol::Phase::statement;
  return next();
}

DialogueAnswer ProbingDialogue::on(RegionCounted region) {
  (of_statement_ ? sample_.statement : sample_.baseline).push_back(std::move(region));
  return next();
}

DialogueAnswer ProbingDialogue::next() {
  auto step = sample_.probe->next({.measured = measured_,
                                   .iterations = iterations_,
                                   .of_statement = of_statement_,
                                   .in_process = in_process_,
                                   .taken = of_statement_ ? sample_.statement : sample_.baseline});
  if (!step) return std::unexpected(CaseFailure{"host", describe(step.error()), {}, {}});
  if (*step) return **step;
  return Advance{};
}

}  // namespace tally
