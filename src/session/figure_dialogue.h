/// The part of the dialogue with a case child that reports a figure of its own. It requests no region: the child sends
/// its figure when it is released. Pure.
#pragma once

#include "session/dialogue_rules.h"

namespace tally {

class FigureDialogue {
 public:
  explicit FigureDialogue(const DialogueRules& /*rules*/) {}

  static DialogueAnswer on(const PhaseReady& /*ready*/) { return Advance{}; }
  static void deliver(CaseOutcome& /*outcome*/) {}
};

}  // namespace tally
