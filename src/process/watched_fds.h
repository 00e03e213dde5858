/// The state of watched descriptors: readable, or closed. Shared by the real and the fake runner.
#pragma once

#include <poll.h>

#include <set>
#include <vector>

#include "process/process.h"

namespace tally {

struct WatchedFds {
  std::set<int> readable;
  std::set<int> closed;

  /// One that poll() found something about.
  void add(const pollfd& polled);
  /// Appends the events, in the order of the contract, and takes what is closed out of `watched`.
  void report(std::vector<Event>& events, std::set<int>& watched) const;
};

/// How they stand now; does not wait.
WatchedFds look_at(const std::set<int>& fds);

}  // namespace tally
