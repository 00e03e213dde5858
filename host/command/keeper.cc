#include "keeper.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "execution.h"
#include "parent_death.h"
#include "process/process_tree.h"

namespace tally::host {

namespace {

constexpr int kSignalsOfOthers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,  SIGUSR2,
                                    SIGALRM, SIGPIPE, SIGPROF, SIGPOLL, SIGVTALRM};
constexpr int kLookAgain = 10'000'000;  // ns
constexpr int kToEnd = 200;             // looks

void on_signal_of_others(int /*signal*/) {}

/// What is measured may signal its parent. A handler, unlike a signal that is ignored, is not passed on by exec().
void survive_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal_of_others;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignalsOfOthers) ::sigaction(signal, &action, nullptr);
}

void pause_for(int ns) {
  const timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

/// Nothing below it is left alive, and neither is it. It is a child of ours.
void end_tree(pid_t root) {
  ::kill(root, SIGSTOP);  // It starts nothing more, and takes what loses its parent.
  // Once more than one that finds nobody: what was started while it looked is found by then.
  for (int in_vain = 0; in_vain < 2;) in_vain = signal_descendants(root, SIGKILL) == 0 ? in_vain + 1 : 0;
  ::kill(root, SIGKILL);
  while (::waitpid(root, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// False: there is no child at all any more.
bool reap() {
  for (;;) {
    const pid_t one = ::waitpid(-1, nullptr, WNOHANG);
    if (one < 0) return errno != ECHILD;
    if (one == 0) return true;
  }
}

void end_children_at_once() {
  while (reap()) {
    signal_descendants(::getpid(), SIGKILL);
    pause_for(kLookAgain / 10);
  }
}

}  // namespace

Keeper::Keeper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  survive_signals();
  sigemptyset(&awaited_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&awaited_, signal);
  ::sigprocmask(SIG_BLOCK, &awaited_, nullptr);
}

KeptEnd Keeper::wait_for(pid_t pid, bool may_stop) {
  for (;;) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return {.status = status};
    const int signal = ::sigwaitinfo(&awaited_, nullptr);
    if (!may_stop) continue;
    if (signal == SIGINT) signal_descendants(pid, SIGINT);
    if (signal != SIGTERM) continue;
    end_tree(pid);
    return {.stopped = true};
  }
}

KeptEnd Keeper::run_shell(const std::string& text, bool may_stop) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int errors = ::fcntl(2, F_DUPFD_CLOEXEC, 0);
  pid_t pid = 0;
  const int refused = start_program({.arguments = {"/bin/sh", "-c", text}, .input = nothing, .output = errors}, pid);
  ::close(nothing);
  ::close(errors);
  if (refused != 0) return {.refused = refused};
  return wait_for(pid, may_stop);
}

KeptEnd Keeper::set_up(const std::string& text) { return run_shell(text, true); }

KeptEnd Keeper::clean_up(const std::string& text) { return run_shell(text, false); }

KeptEnd Keeper::watch(const std::function<int()>& measure) {
  const pid_t keeper = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return {.refused = errno};
  if (pid > 0) return wait_for(pid, true);
  die_with(keeper);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::sigprocmask(SIG_UNBLOCK, &awaited_, nullptr);
  const int code = measure();
  end_children_at_once();
  ::_exit(code);
}

void Keeper::end_rest() {
  signal_descendants(::getpid(), SIGTERM);
  for (int looks = 0; reap() && looks < kToEnd; ++looks) pause_for(kLookAgain);
  end_children_at_once();
}

}  // namespace tally::host
