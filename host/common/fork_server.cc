#include "fork_server.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "allocations.h"
#include "callgrind.h"
#include "case_child.h"
#include "huge_pages.h"
#include "joined_mappings.h"
#include "late_variables.h"
#include "open_files.h"
#include "parent_death.h"
#include "populated_pages.h"
#include "protocol/descriptors.h"
#include "protocol/host_image.h"
#include "shared_page.h"
#include "threads.h"
#include "written_memory.h"

namespace tally::host {

using protocol::Field;
using protocol::MessageType;

namespace {

/// Case children alive, by job. Static: a growing table would move the heap.
struct Child {
  pid_t pid;
  std::uint32_t job;
};
Child g_children[kMaxChildren];

Child* find_child(pid_t pid) {
  for (Child& child : g_children) {
    if (child.pid == pid) return &child;
  }
  return nullptr;
}

bool g_leaves_no_image = false;

void on_child(int /*signal*/) {}  // only to interrupt ppoll

void reap(const Channel& control) {
  int status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    Child* child = find_child(pid);
    if (child == nullptr) continue;
    const int place = static_cast<int>(child - g_children);
    auto exited = control.compose(MessageType::exited, child->job);
    exited.number(Field::pid, static_cast<std::uint64_t>(pid))
        .number(Field::status, static_cast<std::uint64_t>(status))
        .number(Field::stage, static_cast<std::uint64_t>(stage_of_child(place)))
        .number(Field::cut_off, child_was_cut_off(place) ? 1 : 0);
    control.send(exited);
    *child = Child{};
  }
}

/// What many forks earn again, before the first of them. A host with threads is forked once only, whatever is to come.
void prepare_forks(std::uint64_t to_come) {
  static bool prepared = false;
  if (prepared || to_come < kCasesWorthGathering || !callgrind::running() || count_threads() > 1) return;
  prepared = true;
  gather_in_huge_pages();
}

/// A host with threads becomes its only case: a fork would have none of them, and locks that they hold for ever. (A
/// case of a module that starts a pool as it is imported waited until its deadline.)
void run_here(const Channel& control, const Channel::Received& request, int threads, RunCase run_case, void* context) {
  take_place(0);
  auto started = control.compose(MessageType::started, request.message.job());
  started.number(Field::pid, static_cast<std::uint64_t>(::getpid()))
      .number(Field::threads, static_cast<std::uint64_t>(threads))
      .number(Field::status, 0)
      .number(Field::in_process, 1);
  control.send(started);
  const Channel channel = become_case_here(request.message, request.fds[0], request.fds[1]);
  report_crashes(channel, request.message.job());
  run_case(context, channel, request.message);
  ::_exit(0);
}

void fork_case(const Channel& control, const Channel::Received& request, RunCase run_case, void* context) {
  const int threads = count_threads();
  if (threads > 1) run_here(control, request, threads, run_case, context);
  Child* const place = find_child(0);
  if (place != nullptr) take_place(static_cast<int>(place - g_children));
  const pid_t host = ::getpid();
  errno = EAGAIN;  // what fork() says where there are too many processes
  const pid_t pid = place == nullptr ? -1 : ::fork();
  if (pid == 0) {
    die_with(host);
    populate_learned_pages();
    const Channel channel = become_case_child(request.message, request.fds[0], request.fds[1]);
    report_crashes(channel, request.message.job());
    run_case(context, channel, request.message);
    ::_exit(0);
  }
  const int error = errno;
  ::close(request.fds[0]);
  ::close(request.fds[1]);
  auto started = control.compose(MessageType::started, request.message.job());
  started.number(Field::pid, pid > 0 ? static_cast<std::uint64_t>(pid) : 0)
      .number(Field::threads, static_cast<std::uint64_t>(threads))
      .number(Field::status, pid > 0 ? 0 : static_cast<std::uint64_t>(error));
  control.send(started);
  if (pid > 0) *place = {pid, request.message.job()};
}

}  // namespace

void leave_no_image() { g_leaves_no_image = true; }

int serve(const HostIdentity& identity, RunCase run_case, void* context, int control_socket) {
  Channel control(control_socket);
  shared_page();
  if (!callgrind::running()) {
    allocations::prepare();
    share_written_memory();
    join_mappings_of_libraries();
    prepare_to_learn_pages();
  }
  struct sigaction action{};
  action.sa_handler = on_child;
  ::sigaction(SIGCHLD, &action, nullptr);
  keep_pipe_signal_in_cases(::signal(SIGPIPE, SIG_IGN));
  sigset_t blocked;
  sigset_t unblocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &blocked, &unblocked);
  sigdelset(&unblocked, SIGCHLD);

  open_files::note();
  // What the warm-up counted must not be written again by every child.
  callgrind::discard();
  // A process that is made of this host's image continues here.
  if (!g_leaves_no_image) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(protocol::image::kReadyToServe, 0, 0, 0, 0, 0);
  }
  auto hello = control.compose(MessageType::hello, 0);
  hello.number(Field::pid, static_cast<std::uint64_t>(::getpid()))
      .number(Field::threads, static_cast<std::uint64_t>(count_threads()))
      .number(Field::under_valgrind, callgrind::running() ? 1 : 0)
      .text(Field::language, identity.language)
      .text(Field::version, identity.version);
  if (!control.send(hello)) return 1;

  for (;;) {
    pollfd ready{control_socket, POLLIN, 0};
    const int n = ::ppoll(&ready, 1, nullptr, &unblocked);
    const bool broken = n < 0 && errno != EINTR;
    reap(control);
    if (broken) return 1;
    if (n <= 0) continue;
    const Channel::Received request = control.receive();
    if (!request.open) break;
    if (request.message.type() == MessageType::variables) {
      set_late_variables(request.message);
      continue;
    }
    if (request.message.type() != MessageType::run_case || request.fds[1] < 0) return 1;
    prepare_forks(request.message.number(Field::to_come));
    fork_case(control, request, run_case, context);
  }
  for (const Child& child : g_children) {
    if (child.pid > 0) ::kill(-child.pid, SIGKILL);
  }
  return 0;
}

}  // namespace tally::host
