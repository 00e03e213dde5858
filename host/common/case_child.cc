#include "case_child.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "callgrind.h"
#include "entropy.h"
#include "memory_map.h"
#include "open_files.h"
#include "protocol/descriptors.h"
#include "shared_page.h"

namespace tally::host {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;
using protocol::Stage;

namespace {

constexpr int kDeadlySignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};

Channel g_crash_channel(-1);
bool g_keeps_output = false;
bool g_keeps_all = false;
void (*g_on_pipe)(int) = SIG_DFL;
std::uint32_t g_crash_job = 0;
alignas(64) char g_signal_stack[56 * 1024];

void put_hex(char*& at, std::uintptr_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    *at++ = "0123456789abcdef"[(value >> shift) & 0xf];
  }
}

void on_deadly_signal(int signal, siginfo_t* info, void* /*context*/) {
  if (shared_page().failed == 0) {
    shared_page().failed = 1;
    char text[128] = "crashed with ";
    const char* name = sigabbrev_np(signal);
    std::strcat(text, "SIG");
    std::strcat(text, name == nullptr ? "?" : name);
    // An address only where the kernel gave one: raise() and kill() leave a pid in its place.
    if (info->si_code > 0 && signal != SIGABRT) {
      std::strcat(text, signal == SIGSEGV || signal == SIGBUS ? ", accessing address 0x" : ", at address 0x");
      char* at = text + std::strlen(text);
      put_hex(at, reinterpret_cast<std::uintptr_t>(info->si_addr));
      *at = 0;
    }
    auto failure = g_crash_channel.compose(MessageType::failed, g_crash_job);
    failure.number(Field::stage, static_cast<std::uint64_t>(current_stage()))
        .number(Field::signal, static_cast<std::uint64_t>(signal))
        .text(Field::message, text);
    add_watched(failure);
    g_crash_channel.send(failure);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void pin(const Message& request) {
  const std::size_t count = request.count(Field::cpu);
  if (count == 0) return;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (std::size_t i = 0; i < count; ++i) CPU_SET(static_cast<int>(request.number(Field::cpu, 0, i)), &cpus);
  ::sched_setaffinity(0, sizeof cpus, &cpus);
}

void limit(const Message& request) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const std::uint64_t memory = request.number(Field::memory);
  if (memory == 0) return;
  // What the host holds already is not the case's.
  const rlim_t allowed = memory_bytes(Memory::data) + memory;
  const rlimit data{allowed, allowed};
  ::setrlimit(RLIMIT_DATA, &data);
}

/// Returns the socket's number. `all`: every other descriptor is closed, but standard ones and what the program itself
/// had open before.
int take_descriptors(int socket, int output, bool all) {
  const int number = ::dup3(socket, protocol::kCaseSocket, O_CLOEXEC) < 0 ? socket : protocol::kCaseSocket;
  // Out of the way of the numbers that are about to be taken.
  const int high_output = ::fcntl(output, F_DUPFD, 100);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(high_output, 1);
  ::dup2(high_output, 2);
  if (!all) return number;
  open_files::close_others(3, static_cast<unsigned>(number) - 1);
  const int last_kept = number == protocol::kCaseSocket && g_keeps_output ? protocol::kCaseOutput : number;
  ::close_range(static_cast<unsigned>(last_kept) + 1, ~0U, 0);
  open_files::part();
  return number;
}

Channel become_case(const Message& request, int socket, int output, bool forked) {
  for (int signal : {SIGINT, SIGTERM, SIGCHLD}) ::signal(signal, SIG_DFL);
  ::signal(SIGPIPE, g_on_pipe);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const Channel channel(take_descriptors(socket, output, forked && !g_keeps_all));
  renew_shared_page();
  pin(request);
  limit(request);
  entropy::begin(request.number(Field::system_entropy) != 0);
  if (request.number(Field::own_folder) != 0)
    request.text(Field::folder).value_or("").copy(shared_page().watch.own_folder, CaseWatch::kRoom - 1);
  VALGRIND_DO_CLIENT_REQUEST_STMT(kWatchCase, &shared_page().watch, 0, 0, 0, 0);
  if (const auto folder = request.text(Field::folder)) {
    char path[4096] = {};
    folder->copy(path, sizeof path - 1);
    if (::chdir(path) != 0) {
      auto failure = channel.compose(MessageType::failed, request.job());
      failure.number(Field::stage, static_cast<std::uint64_t>(Stage::host))
          .text(Field::message, "cannot enter the case's working folder")
          .text(Field::detail, path);
      channel.send(failure);
      ::_exit(1);
    }
  }
  return channel;
}

}  // namespace

void keep_pipe_signal_in_cases(void (*handler)(int)) { g_on_pipe = handler; }
void keep_output_in_cases() { g_keeps_output = true; }
void keep_all_in_cases() { g_keeps_all = true; }

Channel become_case_child(const Message& request, int socket, int output) {
  ::setpgid(0, 0);
  callgrind::after_fork();
  return become_case(request, socket, output, true);
}

Channel become_case_here(const Message& request, int socket, int output) {
  return become_case(request, socket, output, false);
}

void report_crashes(const Channel& channel, std::uint32_t job) {
  g_crash_channel = channel;
  g_crash_job = job;
  const stack_t stack{g_signal_stack, 0, sizeof g_signal_stack};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_deadly_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : kDeadlySignals) {
    struct sigaction theirs{};
    const bool is_free = ::sigaction(signal, nullptr, &theirs) == 0 && theirs.sa_handler == SIG_DFL;
    if (is_free) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace tally::host
