/// tally-supervisor: runs one command as its child and sees to it that nothing of it survives.
///
/// It is the subreaper of all that the command starts: what double-forks, calls setsid or loses its parent becomes our
/// child and is killed when the command ends, when tally orders it, or when tally dies (its socket closes, even after
/// kill -9; a grace may be given): then the folder that tally would have removed goes too. Reports last of all;
/// src/process/supervisor_wire.h is the protocol. It inherits placement, limits and environment from tally and passes
/// them on untouched. Static, no threads, no allocation to speak of: starts in 0.3 ms.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "process/process_tree.h"
#include "process/supervisor_wire.h"
#include "remove_folder.h"

namespace {

using tally::supervisor::Report;

/// The command and what is known of its end.
struct Supervised {
  pid_t command = -1;
  bool ended = false;
  bool orphaned = false;  ///< Tally is gone.
  Report report;
};

/// CPython keeps the integers up to 256 (from 3.15 on up to 1,024), so an interpreter whose number is one of them, as
/// in a container, allocates less for what it keeps of that number, and all that it allocates later lies elsewhere. The
/// next process has a larger one.
void use_up_small_numbers() {
  constexpr pid_t kept = 1024;
  pid_t last = getpid();
  // So often at the most: where the kernel's largest number is a small one, there is never a larger.
  for (pid_t left = kept - last; left > 0 && last > 0 && last < kept; --left) {
    last = vfork();  // NOLINT(bugprone-unsafe-functions): the child does nothing at all.
    if (last == 0) _exit(0);
    if (last > 0) waitpid(last, nullptr, 0);
  }
}

/// Starts the command with vfork: `exec_errno` is shared memory until the exec.
void start(Supervised& supervised, int control, char** argv) {
  volatile int exec_errno = 0;
  const pid_t self = getpid();
  use_up_small_numbers();
  supervised.command = vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn has no PDEATHSIG.
  if (supervised.command == 0) {
    setsid();  // Its kill(0, …) must not reach us.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    close(control);
    execve(argv[0], argv + 1, environ);
    exec_errno = errno;
    _exit(127);
  }
  if (supervised.command < 0) exec_errno = errno;
  supervised.report.exec_errno = exec_errno;
}

/// Takes every dead child; false when there is no child at all any more. Those killed by SIGKILL are counted.
bool reap(Supervised& supervised, int& killed) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0) return errno != ECHILD;
    if (pid == 0) return true;
    if (pid != supervised.command) {
      killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 1 : 0;
      continue;
    }
    supervised.ended = true;
    supervised.report.wait_status = status;
  }
}

/// SIGKILL to all descendants until none is left. A pass that a fork outran is followed by another.
int kill_all(Supervised& supervised) {
  int killed = 0;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while (reap(supervised, killed)) {
    tally::signal_descendants(getpid(), SIGKILL);
    const timespec pause{0, 2'000'000};
    sigtimedwait(&child, nullptr, &pause);
  }
  return killed;
}

/// Until the command has ended, `milliseconds` at the most.
void wait_for_end(Supervised& supervised, std::int64_t milliseconds) {
  constexpr std::int64_t step = 2;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int ignored = 0;
  for (std::int64_t waited = 0; waited < milliseconds && !supervised.ended; waited += step) {
    const timespec pause{0, step * 1'000'000};
    sigtimedwait(&child, nullptr, &pause);
    reap(supervised, ignored);
  }
}

/// Whether we have a child besides the command. Asked after every case, while looking through the whole tree, which
/// takes ten times as long, is only needed when something was left behind. We have one thread.
bool has_strays(const Supervised& supervised) {
  char path[64];
  char text[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return length < 0;
  text[length] = 0;
  char* end = nullptr;
  const long only = std::strtol(text, &end, 10);
  return only != supervised.command || std::strtol(end, nullptr, 10) != 0;
}

/// Kills our own children other than the command, with all that is below them.
void sweep(const Supervised& supervised) {
  if (!has_strays(supervised)) return;
  for (const tally::TreeProcess& process : tally::descendants(getpid())) {
    if (process.parent == getpid() && process.pid != supervised.command) tally::signal_tree(process.pid, SIGKILL);
  }
}

/// Obeys one order; false when it is the one to kill, or tally is gone.
bool obey(Supervised& supervised, int control) {
  char order = 0;
  const ssize_t got = recv(control, &order, 1, 0);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  supervised.orphaned = got != 1;
  if (got != 1 || order == tally::supervisor::kKillTree) return false;
  if (order == tally::supervisor::kInterruptTree) tally::signal_descendants(getpid(), SIGINT);
  if (order == tally::supervisor::kTerminateTree) tally::signal_descendants(getpid(), SIGTERM);
  if (order == tally::supervisor::kSweepTree) sweep(supervised);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int control = argc > 5 ? std::atoi(argv[1]) : -1;
  if (control < 3) {
    constexpr char usage[] =
        "tally-supervisor is started by tally: tally-supervisor FD SCRATCH GRACE PATH ARGV0 [ARG...]\n";
    return write(2, usage, sizeof usage - 1) < 0 ? 3 : 2;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);  // Blocked rather than ignored: the command must not inherit SIG_IGN.
  Supervised supervised;
  const char* const scratch = argv[2];
  start(supervised, control, argv + 4);
  // The command's streams and sockets must reach their end when it closes them, not when we end.
  if (control > 0) syscall(SYS_close_range, 0, control - 1, 0);
  syscall(SYS_close_range, control + 1, ~0U, 0);

  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  bool wanted = supervised.report.exec_errno == 0;
  int ignored = 0;
  while (wanted && !supervised.ended) {
    pollfd watched[2] = {{control, POLLIN, 0}, {children, POLLIN, 0}};
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[1].revents != 0) {
      signalfd_siginfo information;
      while (read(children, &information, sizeof information) > 0) {
      }
      reap(supervised, ignored);
    }
    if (watched[0].revents != 0) wanted = obey(supervised, control);
  }
  if (supervised.orphaned) wait_for_end(supervised, std::strtol(argv[3], nullptr, 10));
  supervised.report.leftovers = kill_all(supervised);
  const ssize_t sent = send(control, &supervised.report, sizeof supervised.report, MSG_NOSIGNAL | MSG_DONTWAIT);
  if ((supervised.orphaned || sent < 0) && scratch[0] == '/') tally::supervisor::remove_folder(scratch);
  return 0;
}
