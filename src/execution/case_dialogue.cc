#include "execution/case_dialogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/overloaded.h"
#include "execution/case_failure.h"
#include "measurement/statistics.h"
#include "process/wait_status.h"

namespace tally {

using protocol::Phase;
using protocol::Stage;

namespace {

constexpr std::uint64_t kLoopBlocks = 100;            // of the empty loop, to time it
constexpr double kLoopBlockShare = 0.1;               // of a statement's block, in time
constexpr int kMostRetakes = 3;                       // of times whose blocks came out too short
constexpr int kMostLoopRetakes = 20;                  // which take a millisecond, and are taken off of all others
constexpr std::uint64_t kAllocationIterations = 100;  // at the most

/// Pools the samples of several sessions.
template <typename T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(all));
}

std::uint64_t sample_count(const WallSamples& wall) {
  std::uint64_t count = 0;
  for (const auto& child : wall.by_child) count += child.size();
  return count;
}

void add_pass(WallSamples& all, WallSamples more) {
  all.watch = all.watch && more.watch
                  ? std::optional(pooled(*all.watch, sample_count(all), *more.watch, sample_count(more)))
                  : std::nullopt;
  append(all.by_child, std::move(more.by_child));
}

}  // namespace

bool wants_another_replicate(const CountSamples& counts, const CasePlan& plan) {
  std::vector<std::uint64_t> totals;
  totals.reserve(counts.replicates.size());
  for (const auto& row : counts.replicates) totals.push_back(row.empty() ? 0 : row.front());
  return needs_more_replicates(totals, plan.replicates, plan.max_replicates);
}

std::optional<CaseCommand> CaseDialogue::on(CaseMessage message) {
  // One that we have given up is to leave its loops.
  if (failure_ && std::holds_alternative<PhaseReady>(message)) return Advance{};
  if (failure_) return std::nullopt;
  if (auto* told = std::get_if<CaseTold>(&message)) {
    told_ = std::move(*told);
    ended_ = complete();
    return std::nullopt;
  }
  // A crash on the way out; whatever else it may still say has no place.
  if (complete() && !std::holds_alternative<CaseFailed>(message)) return std::nullopt;
  return std::visit(Overloaded{[&](const PhaseReady& ready) { return on_ready(ready); },
                               [&](RegionCounted& region) { return on_counted(std::move(region)); },
                               [&](ChildTimed& timed) { return on_timed(std::move(timed)); },
                               [&](StatementResult& result) -> std::optional<CaseCommand> {
                                 if (step_ == Step::examining) results_.push_back(std::move(result));
                                 return std::nullopt;
                               },
                               [&](const CaseFailed& failed) -> std::optional<CaseCommand> {
                                 fail(describe_failure(failed, *rules_.measured, rules_.mode, rules_.plan.memory_bytes),
                                      failed.signal.has_value());
                                 return std::nullopt;
                               },
                               [](const CaseTold&) -> std::optional<CaseCommand> { return std::nullopt; },
                               [&](const Nonsense&) -> std::optional<CaseCommand> {
                                 fail({"host", "the case's process sent a message that does not belong here", {}, {}},
                                      false);
                                 return std::nullopt;
                               }},
                    message);
}

void CaseDialogue::fail(CaseFailure failure, bool crashed) {
  if (failure_) return;
  failure_ = std::move(failure);
  crashed_ = crashed;
}

void CaseDialogue::fail_by_status(int status) {
  const WaitStatus ended = decode_wait_status(status);
  fail({stage_name(Stage::region, rules_.mode), "the statement's process " + describe(ended), {}, {}},
       std::holds_alternative<Signaled>(ended));
}

std::optional<CaseCommand> CaseDialogue::on_ready(const PhaseReady& ready) {
  in_process_ = in_process_ || ready.in_process;
  if (!ready.device.empty()) device_ = ready.device;
  if (!ready.allocator.empty()) allocator_ = ready.allocator;
  threads_ = std::max(threads_, ready.threads);
  step_ = ready.phase == Phase::baseline ? Step::baseline : Step::statement;
  switch (rules_.mode) {
    case Mode::counts:
      return AskCount{rules_.plan.iterations, is_last_replicate()};
    case Mode::functions:
    case Mode::lines:
      return AskCount{rules_.plan.iterations, step_ == Step::statement};
    case Mode::threads:
      if (!in_process_) return AskCount{.iterations = rules_.plan.iterations, .thread = 1};
      fail({"host", "others than its team's work in its process", {}, {}}, false);
      return Advance{};
    case Mode::wall: {
      const WallPlan& wall = rules_.plan.wall;
      if (step_ == Step::baseline) return ask_times_of_loop();
      if (wall.number > 0) return ask_times(wall.number, wall.min_run_time_s, 1);
      // The first child also finds out how many executions make a block; the others repeat that number.
      return ask_times(0, child_run_time_s(wall), 1);
    }
    case Mode::sites:
      if (step_ == Step::baseline) return advance();
      step_ = Step::allocations;
      return AskCount{std::min(rules_.plan.iterations, kAllocationIterations), true};
    case Mode::result:
      break;
  }
  if (step_ == Step::baseline) return advance();
  step_ = Step::examining;
  return AskCount{.iterations = 1};
}

/// Whether the replicate to be asked for is the last, if it agrees.
bool CaseDialogue::is_last_replicate() const {
  return step_ == Step::statement && !rules_.forks_all && counts_.replicates.size() + 1 >= rules_.replicates;
}

std::optional<CaseCommand> CaseDialogue::on_counted(RegionCounted region) {
  if (region.status != 0) {
    fail_by_status(region.status);
    return std::nullopt;
  }
  if (step_ == Step::examining) return on_examined();
  if (step_ == Step::allocations && rules_.mode == Mode::sites) {
    if (region.dump.empty()) {
      fail({"host", "the recorder of allocation sites left no trace", {}, {}}, false);
      return Advance{};
    }
    sites_ = AllocationSitesSample{region.iterations, std::move(region.dump)};
    return advance();
  }
  if (step_ == Step::allocations) {
    allocations_ = AllocationSample{region.iterations, region.allocations, region.allocated_bytes};
    return advance();
  }
  if (rules_.mode == Mode::functions && step_ == Step::statement) return on_functions(region);
  if (rules_.mode == Mode::threads) return on_thread(region);
  if (rules_.mode == Mode::lines) {
    // The empty loop is executed, too, so that the statement finds what it finds where it is counted.
    if (step_ == Step::statement)
      instructions_ = InstructionSample{.iterations = region.iterations, .profile = std::move(region.dump)};
    return advance();
  }
  if (!keep_totals(region)) return Advance{};
  // One of the empty loop, in the case child itself: a second one has never differed.
  return step_ == Step::statement ? on_replicate(region.own) : advance();
}

/// Once: what it costs to observe is in it anyway, and what is told is checked to be whole.
std::optional<CaseCommand> CaseDialogue::on_functions(RegionCounted& region) {
  if (!region.python_calls || !*region.python_calls || region.dump.empty()) {
    const bool unreadable = region.python_calls && !*region.python_calls;
    fail({"host",
          unreadable ? describe(region.python_calls->error()) : "the observer of Python calls left nothing",
          {},
          {}},
         false);
    return Advance{};
  }
  functions_ = PythonFunctionsSample{.iterations = region.iterations,
                                     .calls = std::move(**region.python_calls),
                                     .profile = std::move(region.dump),
                                     .loop = counts_.baseline.empty() ? 0 : counts_.baseline.front().front()};
  return advance();
}

/// A region for each thread, which is collected alone, all of them forked from the state that the whole count starts
/// from: so the empty loop is executed once in the case child itself, as it is there.
std::optional<CaseCommand> CaseDialogue::on_thread(RegionCounted& region) {
  const auto threads = static_cast<std::size_t>(rules_.measured->threads);
  const auto& rows = step_ == Step::baseline ? counts_.baseline : counts_.replicates;
  if (rows.size() == threads) return advance();
  if (region.thread != static_cast<int>(rows.size()) + 1) {
    fail({"host", "the program was built with an earlier tallymark, which counts no single thread", {}, {}}, false);
    return Advance{};
  }
  if (!keep_totals(region)) return Advance{};
  if (rows.size() < threads)
    return AskCount{.iterations = rules_.plan.iterations, .thread = static_cast<int>(rows.size()) + 1};
  if (step_ == Step::baseline) return AskCount{.iterations = rules_.plan.iterations};
  return advance();
}

bool CaseDialogue::keep_totals(RegionCounted& region) {
  if (!region.totals || !*region.totals) {
    const std::string why = region.totals ? describe(region.totals->error()) : "no dump";
    fail({"count", "Callgrind left no usable counts: " + why, {}, {}}, false);
    return false;
  }
  counts_.events = (*region.totals)->events;
  counts_.iterations = region.iterations;
  (step_ == Step::baseline ? counts_.baseline : counts_.replicates).push_back((*region.totals)->values);
  if (std::string& kept = step_ == Step::baseline ? baseline_profile_ : profile_; kept.empty())
    kept = std::move(region.dump);
  paused_ = paused_ || region.paused;
  return true;
}

/// Replicates of one process do not start from one state (the allocator's differs: 0.05 to 2.3 % with two threads).
/// Once the child has executed one itself, it gives no other, and another session is wanted for more.
std::optional<CaseCommand> CaseDialogue::on_replicate(bool own) {
  if (own && counts_.replicates.size() > 1 && counts_.replicates.back() != counts_.replicates.front()) {
    // A library may begin anew in a forked process (pthread_atfork): then the two are not replicates of each other.
    counts_.replicates.pop_back();
    forks_differ_ = true;
  }
  if (!rules_.perturbation.empty() || rules_.once || own || !wants_another_replicate(counts_, rules_.plan))
    return advance();
  return AskCount{rules_.plan.iterations, is_last_replicate()};
}

/// Twice from the same state, where the child forks its executions: what differs then would differ on any two sides.
std::optional<CaseCommand> CaseDialogue::on_examined() {
  if (results_.empty()) {
    fail({"result", "the statement left its loop before it reported its result", {}, {}}, false);
    return std::nullopt;
  }
  if (results_.size() == 1 && !in_process_) return AskCount{.iterations = 1};
  if (results_.back() != results_.front()) {
    results_.front().varies = true;
    results_.front().refusal = "two executions from one state leave different results";
  }
  return advance();
}

std::optional<CaseCommand> CaseDialogue::on_timed(ChildTimed timed) {
  if (timed.status != 0) {
    fail_by_status(timed.status);
    return std::nullopt;
  }
  if (timed.samples_s.empty()) {
    fail({"time", "the case's process sent no samples", {}, {}}, false);
    return std::nullopt;
  }
  if (found_too_few(timed) && retakes_ < most_retakes()) {
    ++retakes_;
    return asked_times_;
  }
  if (step_ == Step::baseline) {
    // Of many blocks, however long the machine stops the process in one of them: one interrupted block once passed for
    // a loop of 112 ns, which turned all of its case's times into 0.
    wall_.overhead_s = median(timed.samples_s);
    retakes_ = 0;
    return advance();
  }
  wall_.number_per_run = timed.number;
  // A time that the benchmark says has no loop in it, and none of our clock's grain.
  if (timed.manual) wall_.overhead_s = 0;
  wall_.clock_s = timed.manual ? 0 : rules_.timer_overhead_s;
  const auto number = static_cast<double>(timed.number);
  double sampled_s = 0;
  for (double& sample : timed.samples_s) {
    sampled_s += sample * number;
    sample = std::max(sample - wall_.overhead_s, 0.0);
    progress_.measured_s += sample * number;
  }
  progress_.sampled_s += sampled_s;
  progress_.spent_s += std::max(timed.spent_s, sampled_s);
  progress_.steal_share = timed.steal_share;
  wall_.by_child.push_back(std::move(timed.samples_s));
  if (--children_coming_ > 0) return std::nullopt;
  return next_wall_command();
}

/// How many executions make a block is found by doubling until one lasts long enough. Where the machine stops the
/// process meanwhile they are too few: what is sampled is the clock's own price, and of an empty loop, taken off, it
/// turned all of a case's times into 0.
bool CaseDialogue::found_too_few(const ChildTimed& timed) const {
  if (asked_times_.iterations > 0) return false;
  if (timed.manual) return false;
  const double each_s = step_ == Step::baseline ? median(timed.samples_s) : std::ranges::min(timed.samples_s);
  return each_s * static_cast<double>(timed.number) < asked_times_.block_s / 4;
}

int CaseDialogue::most_retakes() const { return step_ == Step::baseline ? kMostLoopRetakes : kMostRetakes; }

CaseCommand CaseDialogue::next_wall_command() {
  const WallPlan& plan = rules_.plan.wall;
  // After the last one the state that another would be forked from is spent.
  if (!asked_times_.last && next_wall_step(plan, wall_.by_child, progress_) == WallStep::another_child) {
    const std::uint64_t children = wall_.by_child.size();
    const std::uint64_t more = next_children(plan, children, progress_.spent_s);
    const bool last = !rules_.counts_allocations && are_last(plan, children, more, progress_);
    return ask_times(wall_.number_per_run, child_budget_s(plan, progress_), more, last);
  }
  if (!rules_.counts_allocations) return advance();
  step_ = Step::allocations;
  return AskCount{std::min(rules_.plan.iterations, kAllocationIterations), true};
}

/// In many short blocks: an empty loop is regular, and what the clock takes of a tenth of a block is nothing beside it.
CaseCommand CaseDialogue::ask_times_of_loop() {
  constexpr double kLeastBlockS = 1e-6;
  ask_times(0, 0, 1);
  asked_times_.block_s = std::max(kLoopBlockShare * asked_times_.block_s, kLeastBlockS);
  asked_times_.budget_s = static_cast<double>(kLoopBlocks) * asked_times_.block_s;
  asked_times_.least_samples = kLoopBlocks;
  return asked_times_;
}

CaseCommand CaseDialogue::ask_times(std::uint64_t iterations, double budget_s, std::uint64_t children, bool last) {
  children_coming_ = children;
  asked_times_ = AskTimes{.iterations = iterations,
                          .block_s = least_block_s(rules_.plan.wall, rules_.timer_overhead_s),
                          .budget_s = budget_s,
                          .children = children,
                          .last = last,
                          .of_statement = step_ == Step::statement};
  return asked_times_;
}

CaseCommand CaseDialogue::advance() {
  if (step_ != Step::baseline) step_ = Step::leaving;
  return Advance{};
}

void CaseDialogue::deliver(CaseOutcome& outcome, std::optional<WallWatch> watch) {
  if (!device_.empty()) outcome.device = device_;
  // Others are left before the function's end: what it has told by then is not what it tells there.
  if (told_ && (rules_.mode == Mode::wall || rules_.hears_end)) outcome.told = std::move(*told_);
  if (!allocator_.empty() && rules_.mode == Mode::counts) {
    std::string warning = fmt::format(
        "malloc is that of {}: the holes of its heap are not filled, and counts may differ from start to start",
        allocator_);
    if (!contains(outcome.warnings, warning)) outcome.warnings.push_back(std::move(warning));
  }
  if (!rules_.perturbation.empty()) {
    outcome.perturbed.emplace_back(rules_.perturbation, std::move(counts_));
    return;
  }
  switch (rules_.mode) {
    case Mode::counts:
      outcome.forks_differ = outcome.forks_differ || forks_differ_;
      // A case's own threads are said in its definition.
      if (threads_ > 1 && rules_.measured->threads == 1 && outcome.process_doubt.empty())
        outcome.process_doubt = fmt::format("it has {} threads", threads_);
      if (outcome.counts) {
        append(outcome.counts->replicates, std::move(counts_.replicates));
        append(outcome.counts->baseline, std::move(counts_.baseline));
        return;
      }
      outcome.counts = std::move(counts_);
      outcome.profile = std::move(profile_);
      outcome.baseline_profile = std::move(baseline_profile_);
      outcome.paused = paused_;
      return;
    case Mode::wall:
      wall_.watch = std::move(watch);
      if (outcome.wall) {
        add_pass(*outcome.wall, std::move(wall_));
      } else {
        outcome.wall = std::move(wall_);
      }
      outcome.allocations = allocations_;
      return;
    case Mode::sites:
      outcome.allocation_sites = std::move(sites_);
      return;
    case Mode::functions:
      outcome.python_functions = std::move(functions_);
      return;
    case Mode::threads:
      outcome.by_thread = std::move(counts_);
      return;
    case Mode::lines:
      outcome.instructions = std::move(instructions_);
      return;
    case Mode::result:
      outcome.result = std::move(results_.front());
      return;
  }
}

}  // namespace tally
