#include "session/case_dialogue.h"

#include "base/overloaded.h"
#include "process/wait_status.h"
#include "session/case_failure.h"

namespace tally {

using protocol::Phase;
using protocol::Stage;

namespace {

std::variant<CountingDialogue, TimingDialogue, FigureDialogue, ExaminingDialogue, ProbingDialogue> dialogue_for(
    const DialogueRules& rules) {
  switch (rules.mode.kind) {
    case Mode::counts:
      return CountingDialogue(rules);
    case Mode::wall:
      return TimingDialogue(rules);
    case Mode::figure:
      return FigureDialogue(rules);
    case Mode::result:
      return ExaminingDialogue(rules);
    case Mode::probing:
      break;
  }
  return ProbingDialogue(rules);
}

}  // namespace

CaseDialogue::CaseDialogue(DialogueRules rules) : rules_(std::move(rules)), dialogue_(dialogue_for(rules_)) {}

std::optional<CaseCommand> CaseDialogue::on(CaseMessage message) {
  // One that we have given up is to leave its loops.
  if (failure_ && std::holds_alternative<PhaseReady>(message)) return Advance{};
  if (failure_) return std::nullopt;
  if (auto* report = std::get_if<CaseReport>(&message)) {
    // An earlier call, in a process of its own, may have reported it all.
    if (!report->left_behind.empty()) left_behind_ = report->left_behind;
    if (!report->note.empty() || !report->counters.empty() || report->used || report->figure)
      report_ = std::move(*report);
    ended_ = complete();
    return std::nullopt;
  }
  // A crash on the way out; whatever else it may still say has no place.
  if (complete() && !std::holds_alternative<CaseFailed>(message)) return std::nullopt;
  return std::visit(Overloaded{[&](PhaseReady& ready) { return on_ready(ready); },
                               [&](RegionCounted& region) { return on_executed(std::move(region)); },
                               [&](ChildTimed& timed) { return on_executed(std::move(timed)); },
                               [&](CaseFailed& failed) { return on_failed(failed); },
                               [&](auto& other) { return pass_on(std::move(other)); }},
                    message);
}

void CaseDialogue::fail(CaseFailure failure, bool crashed) {
  if (failure_) return;
  failure_ = std::move(failure);
  crashed_ = crashed;
}

std::optional<CaseCommand> CaseDialogue::on_ready(const PhaseReady& ready) {
  if (!ready.device.empty()) {
    device_ = ready.device;
    device_settings_ = ready.device_settings;
  }
  step_ = ready.phase == Phase::statement ? Step::statement : Step::baseline;
  return pass_on(ready);
}

std::optional<CaseCommand> CaseDialogue::on_failed(const CaseFailed& failed) {
  fail(describe_failure(failed, rules_), failed.signal.has_value());
  return std::nullopt;
}

template <typename Executed>
std::optional<CaseCommand> CaseDialogue::on_executed(Executed executed) {
  if (executed.status == 0) return pass_on(std::move(executed));
  const WaitStatus ended = decode_wait_status(executed.status);
  fail({stage_name(Stage::region, rules_.mode), "the statement's process " + describe(ended), {}, {}},
       std::holds_alternative<Signaled>(ended));
  return std::nullopt;
}

template <typename Message>
std::optional<CaseCommand> CaseDialogue::pass_on(Message message) {
  DialogueAnswer answer = std::visit(
      [&](auto& dialogue) -> DialogueAnswer {
        if constexpr (requires { dialogue.on(std::move(message)); }) {
          return dialogue.on(std::move(message));
        } else {
          return std::unexpected(
              CaseFailure{"host", "the case's process sent a message that does not belong here", {}, {}});
        }
      },
      dialogue_);
  if (!answer) {
    fail(std::move(answer.error()), false);
    return Advance{};
  }
  if (*answer && std::holds_alternative<Advance>(**answer) && step_ != Step::baseline) step_ = Step::leaving;
  return *answer;
}

void CaseDialogue::deliver(CaseOutcome& outcome, std::optional<WallWatch> watch) {
  if (!device_.empty()) {
    outcome.device = device_;
    outcome.device_settings = device_settings_;
  }
  if (!left_behind_.empty()) outcome.left_behind = left_behind_;
  // Others are left before the function's end: what it has reported by then is not what it reports there.
  if (report_ && (rules_.mode == Mode::wall || rules_.waits_for_end)) {
    if (!report_->used) report_->used = outcome.report.used;  // of the session that took times
    outcome.report = std::move(*report_);
  }
  if (auto* timing = std::get_if<TimingDialogue>(&dialogue_)) timing->watched(std::move(watch));
  std::visit([&](auto& dialogue) { dialogue.deliver(outcome); }, dialogue_);
}

}  // namespace tally
