/// The dialogue with one case child: a message in, the next command out. Pure, with no socket, process or clock.
///
/// Owns what every session has: how far its child has come, how it failed, what a benchmark reports about itself. What
/// to request next, and the samples, belong to the dialogue that the session is for: it counts, times, receives a
/// figure, examines or probes, never two of them.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "session/counting_dialogue.h"
#include "session/examining_dialogue.h"
#include "session/figure_dialogue.h"
#include "session/probing_dialogue.h"
#include "session/timing_dialogue.h"

namespace tally {

class CaseDialogue {
 public:
  explicit CaseDialogue(DialogueRules rules);

  /// What to send in answer; nothing where the child is to continue by itself, or has failed.
  std::optional<CaseCommand> on(CaseMessage message);

  /// The first failure counts. `crashed`: a signal ended the process.
  void fail(CaseFailure failure, bool crashed);

  [[nodiscard]] const std::optional<CaseFailure>& failure() const { return failure_; }
  [[nodiscard]] bool crashed() const { return crashed_; }
  /// Some phase has been set up.
  [[nodiscard]] bool begun() const { return step_ != Step::starting; }
  /// All was asked and answered: nothing is left for the child but to leave.
  [[nodiscard]] bool complete() const { return step_ == Step::leaving; }
  /// And nothing that it may still do is waited for.
  [[nodiscard]] bool needs_no_more() const {
    return complete() && is_under_valgrind(rules_.mode) && (!rules_.waits_for_end || ended_);
  }

  /// Moves what was measured into the case's outcome, beside what other sessions have.
  void deliver(CaseOutcome& outcome, std::optional<WallWatch> watch);

 private:
  enum class Step { starting, baseline, statement, leaving };

  std::optional<CaseCommand> on_ready(const PhaseReady& ready);
  std::optional<CaseCommand> on_failed(const CaseFailed& failed);
  template <typename Executed>
  std::optional<CaseCommand> on_executed(Executed executed);
  template <typename Message>
  std::optional<CaseCommand> pass_on(Message message);

  DialogueRules rules_;
  std::variant<CountingDialogue, TimingDialogue, FigureDialogue, ExaminingDialogue, ProbingDialogue> dialogue_;
  Step step_ = Step::starting;
  std::optional<CaseReport> report_;
  std::string left_behind_;
  bool ended_ = false;  ///< The benchmark's function, after all of its regions.
  std::string device_;
  std::map<std::string, std::string> device_settings_;
  std::optional<CaseFailure> failure_;
  bool crashed_ = false;
};

}  // namespace tally
