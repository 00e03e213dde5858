/// The queue of tally processes that wait for CPUs to take times on: first come, first served, on a machine. It shows
/// which CPUs the first of them waits for, so that others keep off.
///
/// A ticket is a lock on bytes of one empty file (`queue`, beside the CPU locks): the first byte is the nanosecond at
/// which it was taken, the number of bytes is the process's, so that others can say for whom they wait. A CPU that is
/// wanted is a lock on the byte of its number. They are read locks of open file descriptions (F_OFD_SETLK): nobody
/// needs to write, nothing is left behind, and the kernel takes them back when the process ends, kill -9 included. A
/// clock needs no counter that a dying process could leave behind; two that meet in one nanosecond, or in containers
/// whose clocks differ, go in some order, and the CPU locks still let one of them have each CPU.
///
/// A process that is stopped (Ctrl-Z) does not hold up those behind it: it is passed over until it continues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "process/cpu_set.h"

namespace tally {

class LeaseQueue {
 public:
  /// `folder` is an open one and must outlive the queue; `path` is its name.
  LeaseQueue(int folder, std::string path) : folder_(folder), path_(std::move(path)) {}

  /// Gets in line, unless it stands there. Where the file cannot be locked (a file system without such locks) nobody is
  /// ever ahead. An error (io): the file can neither be opened nor made.
  Status enter();
  [[nodiscard]] bool is_in() const { return ticket_.has_value(); }
  /// And wants nothing any more.
  void leave();

  /// The processes that go first, by their numbers, stopped ones left out; of everybody, where this one has no ticket.
  [[nodiscard]] std::vector<int> ahead();

  /// Instead of what was wanted before.
  void want(const CpuSet& cpus);
  /// By another one that waits.
  [[nodiscard]] bool is_wanted_by_others(CpuIndex cpu);
  [[nodiscard]] bool wants(CpuIndex cpu) const { return wanted_.contains(cpu); }

 private:
  struct Found {
    long long start = 0;
    long long length = 0;
  };
  /// Opens the file again where it was removed; what was locked in it is gone then.
  [[nodiscard]] Status open();
  [[nodiscard]] std::optional<Found> first_lock(long long from, long long end) const;
  bool lock(short kind, long long from, long long length) const;

  int folder_;
  std::string path_;
  UniqueFd file_;
  std::optional<long long> ticket_;
  CpuSet wanted_;
};

}  // namespace tally
