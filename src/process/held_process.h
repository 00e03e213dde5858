/// The real ChildHandle. Owns: a pidfd. Never waits for the process: its parent does.
#pragma once

#include <sys/types.h>

#include <memory>

#include "base/unique_fd.h"
#include "process/process.h"

namespace tally {

class HeldProcess final : public ChildHandle {
 public:
  static std::unique_ptr<HeldProcess> hold(pid_t pid, pid_t parent);

  [[nodiscard]] int pid() const override { return pid_; }
  bool signal(int signal) override;
  int signal_tree(int signal) override;
  [[nodiscard]] std::uint64_t growth_bytes(std::uint64_t limit) const override;
  [[nodiscard]] Milliseconds queued_time() const override;

 private:
  HeldProcess(pid_t pid, pid_t parent, UniqueFd fd) : pid_(pid), parent_(parent), fd_(std::move(fd)) {}
  [[nodiscard]] bool alive() const;

  pid_t pid_;
  pid_t parent_;
  UniqueFd fd_;
};

}  // namespace tally
