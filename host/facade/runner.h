/// Runs an instance, as often and as long as flags and definition say.
#pragma once

#include "flags.h"
#include "instance.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// The managers that were registered, or null.
MemoryManager*& memory_manager();
ProfilerManager*& profiler_manager();

/// One instance with its repetitions. The number of iterations is found by the first one, growing until the run takes
/// the least time, and then kept.
class Runner {
 public:
  explicit Runner(const Instance& instance);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] bool done() const { return static_cast<int>(runs_.size()) == repetitions_; }
  [[nodiscard]] int repetitions() const { return repetitions_; }
  [[nodiscard]] double min_seconds() const;
  [[nodiscard]] bool has_iterations() const { return given_ > 0; }
  [[nodiscard]] IterationCount iterations() const { return iterations_; }

  void run_one_repetition();
  [[nodiscard]] const std::vector<BenchmarkReporter::Run>& runs() const { return runs_; }
  /// Whether to show only aggregates of them, in the display and in the file.
  [[nodiscard]] bool displays_aggregates_only() const;
  [[nodiscard]] bool files_aggregates_only() const;

 private:
  struct Outcome {
    ::tally::detail::Notes notes;
    IterationCount iterations = 0;  ///< Of all threads.
    double real_s = 0;              ///< Of all threads together, as are these.
    double cpu_s = 0;
    double manual_s = 0;
  };

  Outcome run_once(IterationCount iterations);
  [[nodiscard]] double decisive(const Outcome& outcome) const;
  [[nodiscard]] IterationCount more(const Outcome& outcome, double wanted_s) const;
  void warm_up();
  MemoryManager::Result measure_memory();
  BenchmarkReporter::Run report(const Outcome& outcome) const;

  Instance instance_;
  int repetitions_;
  IterationCount given_;  ///< 0: by time.
  IterationCount iterations_;
  std::vector<BenchmarkReporter::Run> runs_;
};

}  // namespace internal

TALLYMARK_FACADE_END
