/// SIGINT, SIGTERM and SIGHUP as something to wait for: while this object lives they no longer end the process.
///
/// What was ignored when it came (nohup, a shell's "&") stays so, but for SIGTERM.
/// One at a time (a signal handler can reach nothing but a global); the previous dispositions come back at the end.
/// A signal that comes once more within 50 ms asks once: GNU timeout sends its own to a command and to the command's
/// group. A handler and a pipe rather than a signalfd, which would also count as one what comes while nobody looks.
#pragma once

#include "base/error.h"
#include "base/unique_fd.h"
#include "process/interruption_source.h"

namespace tally {

class Interrupts final : public InterruptionSource {
 public:
  static Result<Interrupts> install();
  Interrupts(Interrupts&& other) noexcept;
  Interrupts& operator=(Interrupts&&) = delete;
  ~Interrupts() override;

  /// Readable while there are signals that were not counted yet.
  [[nodiscard]] int fd() const override { return pipe_.get(); }
  /// Counts what has come by now; all since install().
  int count() override;

 private:
  explicit Interrupts(UniqueFd pipe) : pipe_(std::move(pipe)) {}

  UniqueFd pipe_;
  int count_ = 0;
  bool installed_ = true;
};

}  // namespace tally
