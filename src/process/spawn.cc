#include "process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/text.h"

namespace tally {
namespace {

enum class Step { none, affinity, folder, descriptors, exec };

/// Raw memory only: between vfork and exec the child may neither allocate nor lock.
struct RawPlan {
  const char* path;
  char* const* argv;
  char* const* environment;
  const char* folder;
  const unsigned long* cpus;
  std::size_t cpu_bytes;
  const std::pair<int, int>* fds;
  int* moved;  ///< Room for one number per descriptor.
  std::size_t fd_count;
  int first_free;  ///< Above every target.
  int report;      ///< The pipe's writing end; in the child it moves to first_free.
  rlim_t stack_bytes;
  bool disable_aslr;
};

/// What the child says over a pipe that its exec closes. Not through memory that vfork shares: a sanitizer turns vfork
/// into fork.
struct Report {
  Step step = Step::none;
  int error = 0;
  bool aslr_refused = false;
};

void report(const RawPlan& plan, const Report& what) {
  [[maybe_unused]] const ssize_t written = write(plan.report, &what, sizeof what);
}

[[noreturn]] void give_up(const RawPlan& plan, Step step) {
  report(plan, {.step = step, .error = errno});
  _exit(127);
}

bool is_target(const RawPlan& plan, int fd) {
  for (std::size_t i = 0; i < plan.fd_count; ++i) {
    if (plan.fds[i].first == fd) return true;
  }
  return false;
}

/// Two moves, because a target number may be another's source.
bool place_descriptors(RawPlan& plan) {
  for (std::size_t i = 0; i < plan.fd_count; ++i) {
    plan.moved[i] = fcntl(plan.fds[i].second, F_DUPFD_CLOEXEC, plan.first_free);
    if (plan.moved[i] < 0) return false;
  }
  const int report = fcntl(plan.report, F_DUPFD_CLOEXEC, plan.first_free);
  if (report < 0) return false;
  plan.report = report;
  for (std::size_t i = 0; i < plan.fd_count; ++i) {
    if (dup2(plan.moved[i], plan.fds[i].first) < 0) return false;
  }
  if (report != plan.first_free) {
    if (dup3(report, plan.first_free, O_CLOEXEC) < 0) return false;
    plan.report = plan.first_free;
  }
  for (int fd = 0; fd < plan.first_free; ++fd) {
    if (!is_target(plan, fd)) close(fd);
  }
  if (syscall(SYS_close_range, plan.first_free + 1, ~0U, 0) == 0) return true;
  rlimit limit{};  // Before Linux 5.9.
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int fd = plan.first_free + 1; fd < static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20)); ++fd) close(fd);
  return true;
}

void reset_signals() {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void child(RawPlan& plan) {
  setsid();
  if (plan.disable_aslr) {
    const int now = personality(0xffffffff);
    if (now < 0 || personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0)
      report(plan, {.aslr_refused = true});
  }
  if (plan.cpu_bytes > 0 && syscall(SYS_sched_setaffinity, 0, plan.cpu_bytes, plan.cpus) < 0) {
    give_up(plan, Step::affinity);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  rlimit stack{};
  if (plan.stack_bytes != 0 && getrlimit(RLIMIT_STACK, &stack) == 0) {
    stack.rlim_cur = std::min(plan.stack_bytes, stack.rlim_max);
    setrlimit(RLIMIT_STACK, &stack);
  }
  if (plan.folder[0] != 0 && chdir(plan.folder) < 0) give_up(plan, Step::folder);
  if (!place_descriptors(plan)) give_up(plan, Step::descriptors);
  reset_signals();
  execve(plan.path, plan.argv, plan.environment);
  give_up(plan, Step::exec);
}

std::vector<unsigned long> cpu_mask(const CpuSet& cpus) {
  if (cpus.empty()) return {};
  constexpr int bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(static_cast<std::size_t>(cpus.cpus().back().value / bits) + 1);
  for (const CpuIndex cpu : cpus.cpus()) mask[static_cast<std::size_t>(cpu.value / bits)] |= 1UL << (cpu.value % bits);
  return mask;
}

Error explain(const SpawnPlan& plan, Step step, int code) {
  const std::string reason = std::strerror(code);
  switch (step) {
    case Step::affinity:
      return {ErrorKind::io, fmt::format("cannot pin to CPU {}: {}", to_string(plan.cpus), reason), plan.path,
              "choose CPUs that this process may use"};
    case Step::folder:
      return {ErrorKind::missing, fmt::format("cannot enter the working folder: {}", reason), plan.working_folder, ""};
    case Step::descriptors:
      return {ErrorKind::io, fmt::format("cannot pass descriptors: {}", reason), plan.path, ""};
    case Step::exec:
    case Step::none:
      break;
  }
  return {ErrorKind::io, fmt::format("cannot execute: {}", reason), plan.path, ""};
}

/// No handler of ours may run in the child while it shares our memory.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

Result<Spawned> spawn(const SpawnPlan& plan) {
  const std::vector<char*> argv = pointers(plan.argv);
  const std::vector<char*> environment = pointers(plan.environment);
  const std::vector<unsigned long> mask = cpu_mask(plan.cpus);
  std::vector<int> moved(plan.fds.size());
  int first_free = 3;
  for (const auto& [target, source] : plan.fds) first_free = std::max(first_free, target + 1);
  std::array<int, 2> report_pipe{};
  if (pipe2(report_pipe.data(), O_CLOEXEC) < 0) return std::unexpected(errno_error("make a pipe", plan.path));
  const UniqueFd reports(report_pipe[0]);
  UniqueFd reporter(report_pipe[1]);
  RawPlan raw{.path = plan.path.c_str(),
              .argv = argv.data(),
              .environment = environment.data(),
              .folder = plan.working_folder.c_str(),
              .cpus = mask.data(),
              .cpu_bytes = mask.size() * sizeof(unsigned long),
              .fds = plan.fds.data(),
              .moved = moved.data(),
              .fd_count = plan.fds.size(),
              .first_free = first_free,
              .report = reporter.get(),
              .stack_bytes = plan.stack_bytes,
              .disable_aslr = plan.disable_aslr};
  const BlockedSignals blocked;
  // vfork: a fork of a tally that holds 500 MB of records takes milliseconds of page-table copying.
  const pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn can do half of child().
  if (pid == 0) child(raw);
  if (pid < 0) return std::unexpected(errno_error("start a process", plan.path));
  reporter.reset();
  Spawned spawned{.pid = pid};
  Report report;
  while (read(reports.get(), &report, sizeof report) == sizeof report) {
    spawned.aslr_refused = spawned.aslr_refused || report.aslr_refused;
    if (report.step == Step::none) continue;
    waitpid(pid, nullptr, 0);
    return std::unexpected(explain(plan, report.step, report.error));
  }
  return spawned;
}

}  // namespace tally
