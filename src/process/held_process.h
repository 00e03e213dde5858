/// A process that somebody else forked and will reap, held so that its number cannot come to mean another one.
///
/// Owns: a pidfd. Never waits for the process: its parent does.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/unique_fd.h"

namespace tally {

class HeldProcess {
 public:
  /// Nothing when `pid` has ended, or is no child of `parent` (any more: another process has the number now).
  static std::optional<HeldProcess> hold(pid_t pid, pid_t parent);

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// False for a zombie too.
  [[nodiscard]] bool alive() const;

  /// To itself only; false when it has ended.
  bool signal(int signal) const;

  /// To all its descendants, also those that called setsid, and then to itself. How many got it; 0 when it has ended.
  int signal_tree(int signal) const;

 private:
  HeldProcess(pid_t pid, UniqueFd fd) : pid_(pid), fd_(std::move(fd)) {}

  pid_t pid_;
  UniqueFd fd_;
};

}  // namespace tally
