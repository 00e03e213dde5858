#include "process/held_process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/process_tree.h"

namespace tally {

std::optional<HeldProcess> HeldProcess::hold(pid_t pid, pid_t parent) {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // Asked after the pidfd was opened: whatever the number meant before, this is what is held.
  if (!fd || living_parent(pid) != parent) return std::nullopt;
  return HeldProcess(pid, std::move(fd));
}

bool HeldProcess::alive() const {
  pollfd ended{fd_.get(), POLLIN, 0};
  return poll(&ended, 1, 0) == 0;
}

bool HeldProcess::signal(int signal) const {
  return alive() && syscall(SYS_pidfd_send_signal, fd_.get(), signal, nullptr, 0) == 0;
}

int HeldProcess::signal_tree(int signal) const {
  if (!alive()) return 0;
  // Before it dies itself: then they would have another parent, and be taken for strangers.
  const int below = signal_descendants(pid_, signal);
  return below + (this->signal(signal) ? 1 : 0);
}

}  // namespace tally
