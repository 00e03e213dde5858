/// The part of the dialogue with a case child in which its statement reports what it leaves. Measures nothing. Pure.
#pragma once

#include "session/dialogue_rules.h"

namespace tally {

class ExaminingDialogue {
 public:
  explicit ExaminingDialogue(const DialogueRules& /*rules*/) {}

  DialogueAnswer on(const PhaseReady& ready);
  DialogueAnswer on(StatementResult result);
  DialogueAnswer on(const RegionCounted& region);
  void deliver(CaseOutcome& outcome) { outcome.result = std::move(results_.front()); }

 private:
  bool of_statement_ = false;  ///< The phase is: what is reported before is the warm-up's.
  bool in_process_ = false;
  std::vector<StatementResult> results_;  ///< Of executions from the same state: they must agree.
};

}  // namespace tally
