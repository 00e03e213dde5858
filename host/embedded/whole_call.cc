#include "whole_call.h"

#include "callgrind.h"
#include "how_often.h"
#include "shared_page.h"

namespace tally::embedded {

using host::Regions;
using protocol::Phase;
using protocol::Stage;

EmptyLoops empty_loops(const detail::Facts& facts, int threads) {
  const unsigned first = facts.pauses > 0 ? 1 : 0;
  if (threads > 1 || !host::callgrind::running()) return {{facts.pauses, 0}, 1};
  return {{first, 1 - first}, 2};
}

std::uint64_t choose_executions(Regions& regions, const Frequency& frequency, std::uint64_t size) {
  if (!frequency.is_chosen || is_light(size)) return frequency.warm_up;
  const std::uint64_t warm_up = warm_up_of(size, frequency.warm_up);
  regions.warm_up(warm_up);
  regions.fix_iterations(executions_of(size), size);
  return warm_up;
}

void WholeCall::open(detail::Empty empty, std::uint64_t step) {
  if (step_ == Step::empty) return;
  if (opened_) {
    regions_.fail(Regions::stage(), "a benchmark has one measured loop, and this one begins a second one", "");
    over_ = true;
  }
  opened_ = true;
  facts().empty = empty;
  facts().step = step;
}

std::uint64_t WholeCall::wait() {
  if (over_ || !notes().skipped.empty()) return 0;
  switch (step_) {
    case Step::begun:
      step_ = Step::first;
      host::enter_stage(Stage::warm_up);
      host::callgrind::collect(true);
      return begin_executions(promised_ > 0 ? promised_ : 1);
    case Step::first:
      if (promised_ > 0) {
        frequency_.warm_up = choose_executions(regions_, frequency_, size_of_execution());
        over_ = true;
        return 0;
      }
      step_ = Step::second;
      // The first execution may do what is done once: a second one says whether it was that.
      if (frequency_.is_chosen && !is_light(size_of_execution())) return begin_executions(1);
      [[fallthrough]];
    case Step::second:
      frequency_.warm_up = choose_executions(regions_, frequency_, size_of_execution());
      measure_empty();
      regions_.begin(Phase::statement, done_);
      regions_.set_manual(manual_);
      step_ = Step::measured;
      break;
    case Step::empty:
    case Step::measured:
      regions_.finish();
      break;
  }
  const std::uint64_t iterations = in_steps(regions_.wait());
  if (iterations > 0) regions_.raise_iterations(iterations);
  if (step_ == Step::measured) over_ = iterations == 0;
  done_ += iterations;
  return iterations;
}

void WholeCall::pause() {
  regions_.pause();
  ++pauses_;
}

std::uint64_t WholeCall::promise() {
  if (over_) return done_;
  if (promised_ > 0) return promised_;
  if (step_ == Step::second || step_ == Step::empty || step_ == Step::measured) {
    regions_.fail(Regions::stage(), "the benchmark reads max_iterations in its loop, but not in its first execution",
                  "read it before the loop, or in each execution");
    return done_;
  }
  promised_ = step_ == Step::begun ? frequency_.warm_up : done_;
  return promised_;
}

std::uint64_t WholeCall::begin_executions(std::uint64_t executions) {
  begun_ = in_steps(executions);
  done_ += begun_;
  counted_before_ = counted_so_far();
  return begun_;
}

/// In the mean of those that were begun last.
std::uint64_t WholeCall::size_of_execution() const { return (counted_so_far() - counted_before_) / begun_; }

void WholeCall::measure_empty() {
  facts().pauses = static_cast<unsigned>(pauses_ / done_);
  const std::uint64_t done = done_;
  step_ = Step::empty;
  for (const unsigned pauses : empty_loops(facts())) {
    regions_.begin(Phase::baseline);
    facts().empty(this, pauses);
  }
  done_ = done;
}

}  // namespace tally::embedded
