/// One call of a benchmark's function: what its loop asks, and what the function has reported.
///
/// Whoever measures decides how many executions the loop gets: tally's case child runs all regions in one call, or one
/// in each (served.cc); the program by itself makes calls of its own choice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tallymark/loop.h"

namespace tally::detail {

/// A number that a function reported, and what it is of. The bits are those of Google Benchmark's Counter::Flags.
struct Counter {
  static constexpr unsigned kRate = 1;              ///< Divided by the time.
  static constexpr unsigned kPerThread = 2;         ///< Divided by the number of threads.
  static constexpr unsigned kForEachIteration = 4;  ///< Multiplied by the number of executions.
  static constexpr unsigned kPerIteration = 8;      ///< Divided by it.
  static constexpr unsigned kInverted = 1U << 31;   ///< One over it.

  double value = 0;
  unsigned flags = 0;
  int base = 1000;  ///< Of "k" and "M" where it is shown.
};

/// What a function says of its run.
struct Notes {
  std::map<std::string, Counter> counters;
  std::string label;
  std::string skipped;    ///< Why it was not measured; empty: it was.
  bool is_error = false;  ///< Which is an error.
  double manual_s = 0;
  std::int64_t complexity_n = 0;
};

/// What is found out about a case's loop by its first call and holds for the others.
struct Facts {
  Empty empty = nullptr;
  std::uint64_t step = 1;  ///< Executions in a step of the loop.
  unsigned pauses = 0;     ///< In each execution.
  std::size_t chunk = 0;   ///< Objects that are made ready together; 0: not known yet.
};

class Call {
 public:
  /// `args` must outlive it: in a case, what a call allocates would move what the function allocates.
  Call(Facts& facts, const std::vector<std::int64_t>& args, int thread = 0, int threads = 1)
      : facts_(facts), args_(args), thread_(thread), threads_(threads) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  virtual void open(Empty empty, std::uint64_t step) = 0;
  virtual std::uint64_t wait() = 0;
  virtual void start() = 0;
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// For max_iterations: how many executions this call has. Asking may decide it.
  virtual std::uint64_t promise() = 0;

  /// Before the wait() that ends a region: its loop made another number of executions than were requested.
  virtual void executed(std::uint64_t /*iterations*/) {}

  /// Of a function that does not continue: its loop, if there is one, is not run. The first reason counts.
  virtual void skip(const std::string& why, bool is_error);
  virtual void add_manual_time(double seconds) { notes_.manual_s += seconds; }

  [[nodiscard]] const std::vector<std::int64_t>& args() const { return args_; }
  [[nodiscard]] int thread() const { return thread_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] Facts& facts() const { return facts_; }
  Notes& notes() { return notes_; }
  /// Executions so far.
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] bool opened() const { return opened_; }
  /// The loop got 0 executions, and ended then.
  [[nodiscard]] bool over() const { return over_; }

 protected:
  /// `iterations` or the next number that the loop's steps reach.
  [[nodiscard]] std::uint64_t in_steps(std::uint64_t iterations) const {
    return (iterations + facts_.step - 1) / facts_.step * facts_.step;
  }

  Facts& facts_;
  bool opened_ = false;
  bool over_ = false;
  std::uint64_t done_ = 0;

 private:
  const std::vector<std::int64_t>& args_;
  int thread_;
  int threads_;
  Notes notes_;
};

/// What measures one region at a time.
class Meter {
 public:
  Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  virtual ~Meter() = default;
  virtual void start() = 0;
  virtual void finish() = 0;
  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void add_manual_time(double seconds) = 0;
  /// So much of the region's time was paused, elsewhere than by pause().
  virtual void leave_out(std::uint64_t /*paused_ns*/) {}
  virtual void executed(std::uint64_t /*iterations*/) {}
};

/// A call whose loop has so many executions, known before it begins. `meter` may be null: nothing is measured.
class CountedCall : public Call {
 public:
  CountedCall(Facts& facts, const std::vector<std::int64_t>& args, std::uint64_t iterations, Meter* meter)
      : Call(facts, args), iterations_(iterations), meter_(meter) {}

  void open(Empty empty, std::uint64_t step) override;
  std::uint64_t wait() override;
  void start() override;
  void pause() override;
  void resume() override;
  std::uint64_t promise() override { return iterations_; }
  void executed(std::uint64_t iterations) override;
  void add_manual_time(double seconds) override;
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }

 private:
  std::uint64_t iterations_;
  Meter* meter_;
  bool running_ = false;
  std::uint64_t pauses_ = 0;
};

}  // namespace tally::detail
