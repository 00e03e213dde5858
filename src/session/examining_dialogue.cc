#include "session/examining_dialogue.h"

namespace tally {

DialogueAnswer ExaminingDialogue::on(const PhaseReady& ready) {
  in_process_ = in_process_ || ready.in_process;
  of_statement_ = ready.phase == protocol::Phase::statement;
  if (!of_statement_) return Advance{};
  return AskCount{.iterations = 1};
}

DialogueAnswer ExaminingDialogue::on(StatementResult result) {
  if (of_statement_) results_.push_back(std::move(result));
  return std::nullopt;
}

/// Twice from the same state, where the child forks its executions: what differs then would differ on any two sides.
DialogueAnswer ExaminingDialogue::on(const RegionCounted& /*region*/) {
  if (results_.empty()) {
    return std::unexpected(CaseFailure{"result", "the statement left its loop before it reported its result", {}, {}});
  }
  if (results_.size() == 1 && !in_process_) return AskCount{.iterations = 1};
  if (results_.back() != results_.front()) {
    results_.front().varies = true;
    results_.front().refusal = "two executions from one state leave different results";
  }
  return Advance{};
}

}  // namespace tally
