/// Repetitions of one instance: how many iterations each has, and what it reports.
#pragma once

#include "flags.h"
#include "instance.h"
#include "native.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// Null: none. Not owned.
struct Managers {
  MemoryManager* memory = nullptr;
  ProfilerManager* profiler = nullptr;
};

Managers& managers();

class Runner {
 public:
  /// The instance must outlive it.
  Runner(const Instance& instance, const Flags& flags);

  /// The first one finds the number of iterations that takes the requested least time; the others have the same.
  BenchmarkReporter::Run repeat();

  [[nodiscard]] int repetitions() const { return repetitions_; }
  [[nodiscard]] bool done() const { return done_ == repetitions_; }
  [[nodiscard]] double min_time() const { return min_s_; }
  [[nodiscard]] bool has_iterations() const { return fixed_; }
  [[nodiscard]] IterationCount iterations() const { return iterations_; }
  [[nodiscard]] const Instance& instance() const { return instance_; }

 private:
  /// Adds to `elapsed_s_`.
  Timed call();
  /// The time that decides: CPU, real or manual, as the benchmark says.
  [[nodiscard]] double seconds(const Timed& timed) const;
  [[nodiscard]] bool is_enough(const Timed& timed, double min_s) const;
  /// From what a shorter call took.
  [[nodiscard]] IterationCount longer(const Timed& timed, double min_s) const;
  void warm_up();
  void fill(BenchmarkReporter::Run& run, const Timed& timed) const;
  void measure_memory(BenchmarkReporter::Run& run) const;
  void profile() const;

  const Instance& instance_;
  bool dry_;
  double min_s_;
  double warm_up_s_;
  int repetitions_;
  bool fixed_;
  IterationCount iterations_;
  int done_ = 0;
  double elapsed_s_ = 0;  ///< Of the calls that look for the number of iterations.
};

}  // namespace internal

TALLYMARK_FACADE_END
