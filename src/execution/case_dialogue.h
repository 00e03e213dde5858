/// The talk with one case child: a message in, the next command out. Pure, with no socket, process or clock.
///
/// Owns the samples of one session so far, and decides by measurement's rules what to ask next: another replicate,
/// another child's times, the next phase. A session asks for counts, for times or for a result, never for two of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "definition/toolchain.h"
#include "execution/case_messages.h"
#include "execution/case_plan.h"
#include "execution/outcome.h"
#include "expansion/case.h"
#include "measurement/autorange.h"

namespace tally {

struct DialogueRules {
  const Case* measured = nullptr;
  const Toolchain* toolchain = nullptr;
  Mode mode = Mode::counts;
  CasePlan plan;
  std::string perturbation;        ///< Its name; counted once, and beside the undisturbed counts.
  std::size_t replicates = 1;      ///< Counted ones to ask for; more where they differ and the child can still fork.
  bool once = false;               ///< One replicate, in a forked process: others are of another session.
  bool forks_all = false;          ///< None of them may be executed by the case child itself.
  bool counts_allocations = true;  ///< After times: they stand beside the counts in a record.
  /// After counts: a benchmark program's function goes on to its end, where it tells its label and its counters. A
  /// session that takes times waits for that end anyway.
  bool hears_end = false;
  double timer_overhead_s = 0;
};

/// Whether a case's replicates do not prove its count yet.
bool wants_another_replicate(const CountSamples& counts, const CasePlan& plan);

class CaseDialogue {
 public:
  explicit CaseDialogue(DialogueRules rules) : rules_(std::move(rules)) {}

  /// What to send in answer; nothing where the child is to go on by itself, or has failed.
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
    return complete() && is_under_valgrind(rules_.mode) && (!rules_.hears_end || ended_);
  }

  /// Moves what was measured into the case's outcome, beside what other sessions have.
  void deliver(CaseOutcome& outcome, std::optional<WallWatch> watch);

 private:
  enum class Step { starting, baseline, statement, allocations, examining, leaving };

  std::optional<CaseCommand> on_ready(const PhaseReady& ready);
  std::optional<CaseCommand> on_counted(RegionCounted region);
  std::optional<CaseCommand> on_replicate(bool own);
  std::optional<CaseCommand> on_timed(ChildTimed timed);
  std::optional<CaseCommand> on_examined();
  std::optional<CaseCommand> on_functions(RegionCounted& region);
  std::optional<CaseCommand> on_thread(RegionCounted& region);
  bool keep_totals(RegionCounted& region);
  void fail_by_status(int status);
  [[nodiscard]] bool is_last_replicate() const;
  [[nodiscard]] bool found_too_few(const ChildTimed& timed) const;
  [[nodiscard]] int most_retakes() const;
  CaseCommand ask_times(std::uint64_t iterations, double budget_s, std::uint64_t children, bool last = false);
  CaseCommand ask_times_of_loop();
  CaseCommand next_wall_command();
  CaseCommand advance();

  DialogueRules rules_;
  Step step_ = Step::starting;
  bool in_process_ = false;
  std::optional<CaseTold> told_;
  bool ended_ = false;  ///< The benchmark's function, after all of its regions.
  std::string device_;
  std::string allocator_;
  int threads_ = 1;  ///< The most that it had when a phase was ready.
  bool forks_differ_ = false;
  WallProgress progress_;
  AskTimes asked_times_;               ///< The last ones.
  std::uint64_t children_coming_ = 0;  ///< Of those.
  int retakes_ = 0;
  CountSamples counts_;
  WallSamples wall_;
  std::optional<AllocationSample> allocations_;
  std::optional<AllocationSitesSample> sites_;
  std::optional<PythonFunctionsSample> functions_;
  std::optional<InstructionSample> instructions_;
  std::vector<StatementResult> results_;  ///< Of executions from the same state: they must agree.
  std::string profile_;
  std::string baseline_profile_;
  bool paused_ = false;
  std::optional<CaseFailure> failure_;
  bool crashed_ = false;
};

}  // namespace tally
