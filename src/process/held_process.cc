#include "process/held_process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/process_tree.h"
#include "process/tree_memory.h"
#include "process/tree_time.h"

namespace tally {

std::unique_ptr<HeldProcess> HeldProcess::hold(pid_t pid, pid_t parent) {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // Asked after the pidfd was opened: whatever the number meant before, this is what is held.
  if (!fd || living_parent(pid) != parent) return nullptr;
  return std::unique_ptr<HeldProcess>(new HeldProcess(pid, parent, std::move(fd)));
}

/// Not a zombie either.
bool HeldProcess::alive() const {
  pollfd ended{fd_.get(), POLLIN, 0};
  return poll(&ended, 1, 0) == 0;
}

bool HeldProcess::signal(int signal) {
  return alive() && syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) == 0;
}

int HeldProcess::signal_tree(int signal) {
  if (!alive()) return 0;
  // Before it dies itself: then they would have another parent, and be taken for strangers.
  const int below = signal_descendants(pid_, signal);
  return below + (this->signal(signal) ? 1 : 0);
}

std::uint64_t HeldProcess::growth_bytes(std::uint64_t limit) const {
  return alive() ? tree_growth_bytes(pid_, parent_, limit) : 0;
}

Milliseconds HeldProcess::queued_time() const { return alive() ? tree_queued(pid_) : Milliseconds(0); }

}  // namespace tally
