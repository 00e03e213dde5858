/// One started process of the real runner, from its pipes to its result. Used by real_runner.cc only.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "process/process.h"

namespace tally {

class RunningChild {
 public:
  static Result<std::unique_ptr<RunningChild>> start(ProcessRequest request, const std::string& supervisor);

  /// Readable once the process's supervisor has ended.
  [[nodiscard]] int ended_fd() const { return pidfd_.get(); }
  /// Its standard output and error; -1 when passed elsewhere or at their end.
  [[nodiscard]] int out_fd() const { return out_.fd.get(); }
  [[nodiscard]] int err_fd() const { return err_.fd.get(); }
  [[nodiscard]] pid_t pid() const { return pid_; }

  void read_out() { read(out_); }
  void read_err() { read(err_); }

  /// The first reason counts; `at_once` skips what is left of the grace.
  void stop(Outcome reason, CancelMode mode, Clock::time_point now);
  void sweep();

  /// When act() has something to do: the deadline, or the next step of stopping.
  [[nodiscard]] std::optional<Clock::time_point> next_step() const;
  void act(Clock::time_point now);

  /// Takes the process's status and the rest of its output. Once, when ended_fd() is readable.
  ProcessResult finish();

 private:
  enum class Stage { running, interrupted, terminated, killed };
  struct Stream {
    UniqueFd fd;
    BoundedOutput kept;
  };

  explicit RunningChild(const ProcessRequest& request);
  void read(Stream& stream);
  void order(char what);
  Outcome outcome_of(int raw_status, ProcessResult& result);

  pid_t pid_ = -1;  ///< The supervisor's.
  UniqueFd pidfd_;
  UniqueFd supervisor_;  ///< Our end of the wire.
  Stream out_;
  Stream err_;
  std::string program_;
  std::optional<Milliseconds> deadline_;
  StopGrace grace_;
  Clock::time_point started_;
  bool aslr_refused_ = false;
  Stage stage_ = Stage::running;
  std::optional<Outcome> stop_reason_;
  Clock::time_point next_stage_{};
};

}  // namespace tally
