/// The clock of one timed block: from its first execution to its end, without its pauses, or what it adds up itself.
#pragma once

#include <cstdint>

#include "clock.h"

namespace tally::host {

class BlockClock {
 public:
  /// Times are what add_manual() adds up, not what the clock says.
  void set_manual(bool manual) { manual_ = manual; }
  [[nodiscard]] bool is_manual() const { return manual_; }
  void add_manual(double seconds) { manual_ns_ += seconds * 1e9; }

  void make_ready() {
    paused_ns_ = 0;
    manual_ns_ = 0;
  }
  void start() { started_at_ns_ = now_ns(); }
  void pause() { paused_at_ns_ = now_ns(); }
  void resume() { paused_ns_ += now_ns() - paused_at_ns_; }
  void leave_out(std::uint64_t paused_ns) { paused_ns_ += paused_ns; }
  /// Of a block on a device: all is launched, and the wait for it begins.
  void launched() { launched_at_ns_ = now_ns(); }

  /// Since it was started, pauses included.
  [[nodiscard]] std::uint64_t lasted_ns() const { return now_ns() - started_at_ns_; }
  /// What the block took, of one that lasted so long.
  [[nodiscard]] double elapsed_ns(std::uint64_t lasted_ns) const {
    return manual_ ? manual_ns_ : static_cast<double>(lasted_ns - paused_ns_);
  }
  /// Until launched(). What is paused is the host's.
  [[nodiscard]] double launch_ns() const { return static_cast<double>(launched_at_ns_ - started_at_ns_ - paused_ns_); }

 private:
  std::uint64_t started_at_ns_ = 0;
  std::uint64_t launched_at_ns_ = 0;
  std::uint64_t paused_at_ns_ = 0;
  std::uint64_t paused_ns_ = 0;
  double manual_ns_ = 0;
  bool manual_ = false;
};

}  // namespace tally::host
