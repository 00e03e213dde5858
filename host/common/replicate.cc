#include "replicate.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>

#include "callgrind.h"
#include "entropy.h"
#include "open_files.h"
#include "parent_death.h"
#include "protocol/descriptors.h"
#include "shared_page.h"

namespace tally::host {

namespace {

/// SIGCHLD as it is by default, while a replicate is waited for: where a setup ignores it, to have no zombies, children
/// go without a trace, and where it handles it, the handler may take our child's end.
class DefaultChildSignal {
 public:
  DefaultChildSignal() {
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &before_);
  }
  DefaultChildSignal(const DefaultChildSignal&) = delete;
  DefaultChildSignal& operator=(const DefaultChildSignal&) = delete;
  /// In the replicate too: the statement finds what its setup left.
  ~DefaultChildSignal() { ::sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_{};
};

/// Under Valgrind (`done` is a pipe), waits for the region's end and then kills the replicate: left to itself, it would
/// exit, and Callgrind would then write one more dump, of nothing (a process that kills itself does so too: Valgrind
/// makes an exit of it). Natively it exits. Nothing where somebody else has waited for it.
std::optional<int> wait_for(int pid, int done) {
  int status = 0;
  if (done < 0) {
    for (;;) {
      if (::waitpid(pid, &status, 0) == pid) return status;
      if (errno == ECHILD) return std::nullopt;
    }
  }
  for (;;) {
    // The write end may outlive the replicate in a process that the statement left behind: look for both.
    pollfd ready{done, POLLIN, 0};
    const bool over = ::poll(&ready, 1, 20) > 0 && (ready.revents & POLLIN) != 0;
    if (over) ::kill(pid, SIGKILL);
    const bool closed = (ready.revents & POLLHUP) != 0;
    const pid_t ended = ::waitpid(pid, &status, over || closed ? 0 : WNOHANG);
    if (ended == pid) return status;
    if (ended < 0 && errno == ECHILD) return std::nullopt;
  }
}

}  // namespace

Replicate::Forked Replicate::fork() {
  const DefaultChildSignal waitable;
  shared_page().done = 0;
  shared_page().failed = 0;
  int done[2] = {-1, -1};
  if (callgrind::running() && ::pipe2(done, O_CLOEXEC) != 0) return {.problem = "no descriptors left for a pipe"};
  entropy::keep_over_fork();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    die_with(parent);
    here_ = true;
    entropy::continue_after_fork();
    callgrind::after_fork();
    open_files::part();
    take_done_pipe(done);
    return {.here = true};
  }
  if (done[1] >= 0) ::close(done[1]);
  if (pid < 0) return {.problem = "fork failed: no memory or too many processes"};
  const std::optional<int> status = wait_for(pid, done[0]);
  if (done[0] >= 0) ::close(done[0]);
  // Under Valgrind we killed it.
  if (shared_page().done != 0) return {.pid = pid};
  if (status && *status != 0) return {.pid = pid, .status = *status};
  return {.pid = pid,
          .problem = status ? "the statement ended the process with exit code 0"
                            : "the statement's process ended, and the case's own code has waited for it (a thread that "
                              "waits for all children): how it ended is not known"};
}

/// In the replicate. The statement finds the numbers free that it would find free natively.
void Replicate::take_done_pipe(const int done[2]) {
  if (done[0] < 0) return;
  const int high = ::fcntl(done[1], F_DUPFD_CLOEXEC, protocol::kLeastPrivate);
  done_ = high < 0 ? done[1] : high;
  ::close(done[0]);
  if (high >= 0) ::close(done[1]);
}

void Replicate::leave() const {
  shared_page().done = 1;
  if (done_ < 0) ::_exit(0);
  if (::write(done_, "", 1) != 1) ::_exit(0);  // the statement has closed it
  for (;;) ::pause();                          // until the case child kills us
}

}  // namespace tally::host
