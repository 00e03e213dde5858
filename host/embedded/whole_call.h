/// A call of a benchmark's function in which all regions of both phases lie, one after the other: its loop is executed
/// once with the function's setup before it, and continues as long as there is another region. Its first executions
/// show how often it pauses, and how heavy it is; then the empty loop is measured, from within.
#pragma once

#include <cstdint>
#include <vector>

#include "call.h"
#include "regions.h"

namespace tally::embedded {

/// How many pauses an execution has in each of the empty loops that are measured. A list without memory of its own:
/// what is allocated in a case moves what its function allocates.
struct EmptyLoops {
  unsigned pauses[2];
  unsigned number;
  [[nodiscard]] const unsigned* begin() const { return pauses; }
  [[nodiscard]] const unsigned* end() const { return pauses + number; }
};

/// The first is as the function's first execution was. The other one shows what a pause costs: later executions may
/// pause more often, or less. Neither times nor teams have that taken off.
EmptyLoops empty_loops(const detail::Facts& facts, int threads = 1);

/// How often a benchmark is executed.
struct Frequency {
  std::uint64_t warm_up = 0;  ///< What is usual.
  bool is_chosen = false;     ///< Nobody has set how often: a heavy benchmark is executed less often than is usual.
};

/// Makes the regions execute a benchmark as often as one execution of so many instructions may be; the warm-up. 0
/// instructions: nobody counts, and all stays as is usual.
std::uint64_t choose_executions(host::Regions& regions, const Frequency& frequency, std::uint64_t size);

class WholeCall : public detail::Call {
 public:
  WholeCall(detail::Facts& facts, const std::vector<std::int64_t>& args, host::Regions& regions, Frequency frequency,
            bool manual)
      : Call(facts, args), regions_(regions), frequency_(frequency), manual_(manual) {}

  void open(detail::Empty empty, std::uint64_t step) override;
  std::uint64_t wait() override;
  void start() override { regions_.start(); }
  void pause() override;
  void resume() override { regions_.resume(); }
  /// Once a function knows how many executions there are, there must be so many, and another call for each region.
  std::uint64_t promise() override;
  void add_manual_time(double seconds) override { regions_.add_manual_time(seconds); }

  /// Whether each region wants a call of its own.
  [[nodiscard]] bool promised() const { return promised_ > 0; }

 private:
  enum class Step { begun, first, second, empty, measured };

  std::uint64_t begin_executions(std::uint64_t executions);
  [[nodiscard]] std::uint64_t size_of_execution() const;
  void measure_empty();

  host::Regions& regions_;
  Frequency frequency_;
  bool manual_;
  Step step_ = Step::begun;
  std::uint64_t promised_ = 0;
  std::uint64_t pauses_ = 0;
  std::uint64_t begun_ = 0;           ///< How many executions were begun last,
  std::uint64_t counted_before_ = 0;  ///< and what had been counted by then.
};

}  // namespace tally::embedded
