#include "execution.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "clock.h"

namespace tally::host {

namespace {

constexpr int kOfSignal = 128;
constexpr std::uint64_t kPatience = 10'000'000'000;  // ns that processes may outlive their command

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_read() { close_one(read); }
  void close_write() { close_one(write); }

 private:
  static void close_one(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

/// Until the program has ended: others may hold the pipe for longer.
void drain(int pipe, pid_t pid) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  pollfd waited[] = {{pipe, POLLIN, 0}, {process, POLLIN, 0}};
  char block[65536];
  for (;;) {
    if (::poll(waited, process < 0 ? 1 : 2, -1) < 0 && errno != EINTR) break;
    if ((waited[0].revents & (POLLIN | POLLHUP)) != 0 && ::read(pipe, block, sizeof block) <= 0) break;
    if (waited[0].revents == 0 && (waited[1].revents & POLLIN) != 0) break;
  }
  if (process >= 0) ::close(process);
}

/// Its other processes are its own, too, and their counts are a part of its count: until they have ended, there is
/// none. False: some still run. What they write is read meanwhile (-1: nothing is).
bool wait_for_others(int pipe) {
  for (const std::uint64_t end = now_ns() + kPatience;;) {
    const pid_t one = ::waitpid(-1, nullptr, WNOHANG);
    if (one < 0) return true;  // there are none
    if (one > 0) continue;
    if (now_ns() >= end) return false;
    constexpr int kMillisecond = 1;
    pollfd from{pipe, POLLIN, 0};
    char block[65536];
    if (::poll(&from, 1, kMillisecond) > 0 && (from.revents & POLLIN) != 0) {
      (void)!::read(pipe, block, sizeof block);
    } else if ((from.revents & POLLHUP) != 0) {
      pipe = -1;
    }
  }
}

/// In a process that is the first of its namespace: its numbers count from 1, and /proc shows them.
bool shows_own_numbers() {
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

/// So that what it starts, which has none either, may look at its descriptors (ptrace(2)).
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  ::syscall(SYS_capset, &header, none);
}

bool write_to(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return written;
}

/// As fork(). It ends with its parent.
pid_t fork_into_namespace() {
  const auto pid = static_cast<pid_t>(
      ::syscall(SYS_clone, SIGCHLD | CLONE_NEWPID | CLONE_NEWNS, nullptr, nullptr, nullptr, nullptr));
  if (pid == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::vector<char*> pointers_to(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

/// 0, or why the program could not be started.
int launch(char* const* argv, int input, int output, pid_t& pid) {
  Pipe failure;
  if (failure.read < 0) return errno;
  pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::execvp(argv[0], argv);
    const int why = errno;
    (void)!::write(failure.write, &why, sizeof why);
    ::_exit(127);
  }
  if (pid < 0) return errno;
  failure.close_write();
  int why = 0;
  if (::read(failure.read, &why, sizeof why) != sizeof why) return 0;
  wait_for(pid);
  return why;
}

/// An errno: it is no file, or none that may be executed. Else 0.
int access_error(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return errno == ENOENT || errno == ENOTDIR ? ENOENT : EACCES;
  return S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
}

/// As execvp() looks for it; empty: there is none that fits.
std::string find_program(const std::string& program, const std::function<bool(const std::string&)>& fits) {
  if (program.find('/') != std::string::npos) return fits(program) ? program : "";
  const char* const path = ::getenv("PATH");
  std::string left = path == nullptr ? "/bin:/usr/bin" : path;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = left.find(':');
    const std::string folder = left.substr(0, end);
    if (std::string found = (folder.empty() ? "." : folder) + "/" + program; fits(found)) return found;
    if (end != std::string::npos) left.erase(0, end + 1);
  }
  return {};
}

/// That a script names in its first line; empty: the file names none.
std::string interpreter_of(const std::string& path) {
  char head[256] = {};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = ::read(file, head, sizeof head - 1);
  ::close(file);
  std::string_view line(head, got < 0 ? 0 : static_cast<std::size_t>(got));
  if (!line.starts_with("#!")) return {};
  line = line.substr(0, line.find('\n'));
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  return std::string(line.substr(0, line.find_first_of(" \t")));
}

}  // namespace

int start_program(const Start& start, pid_t& pid) {
  return launch(pointers_to(start.arguments).data(), start.input, start.output, pid);
}

Ended execute(const Start& start) {
  Ended ended;
  std::vector<char*> argv = pointers_to(start.arguments);
  Pipe output;
  if (output.read < 0) {
    ended.refused = errno;
    return ended;
  }
  const std::uint64_t begin = now_ns();
  ended.refused = launch(argv.data(), start.input, start.drains ? output.write : start.output, ended.pid);
  if (ended.refused != 0) return ended;
  output.close_write();
  if (!start.drains) output.close_read();
  if (start.drains) drain(output.read, ended.pid);
  while (::wait4(ended.pid, &ended.status, 0, &ended.used) < 0 && errno == EINTR) {
  }
  ended.lasted_ns = now_ns() - begin;
  ended.leaves_processes = !wait_for_others(output.read);
  return ended;
}

Ended execute_with_own_numbers(const Start& start) {
  Pipe answer;
  const pid_t first = answer.read < 0 ? -1 : fork_into_namespace();
  if (first < 0) {
    Ended ended;
    ended.refused = errno;
    return ended;
  }
  if (first == 0) {
    Ended ended;
    if (shows_own_numbers()) {
      if (::geteuid() != 0) drop_capabilities();
      ended = execute(start);
    } else {
      ended.refused = errno;
    }
    const bool sent = ::write(answer.write, &ended, sizeof ended) == sizeof ended;
    ::_exit(sent ? 0 : 1);
  }
  answer.close_write();
  Ended ended;
  const bool received = ::read(answer.read, &ended, sizeof ended) == sizeof ended;
  const int status = wait_for(first);
  // Whoever killed it (the kernel, for want of memory) has killed all that it had started.
  if (!received) ended = {.status = status};
  ended.pid = first;
  return ended;
}

bool grants_own_numbers() {
  const pid_t pid = fork_into_namespace();
  if (pid < 0) return false;
  if (pid == 0) ::_exit(shows_own_numbers() ? 0 : 1);
  return wait_for(pid) == 0;
}

int enter_user_namespace() {
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER) != 0) return errno;
  const bool is_mapped = write_to("/proc/self/setgroups", "deny") &&
                         write_to("/proc/self/uid_map", user + " " + user + " 1") &&
                         write_to("/proc/self/gid_map", group + " " + group + " 1");
  return is_mapped ? 0 : errno;
}

NotExecutable why_not_executable(const std::string& program) {
  NotExecutable result{.why = ENOENT, .interpreter = {}};
  const auto is_program = [&](const std::string& path) {
    const int why = access_error(path);
    if (why == 0) return true;
    if (why == EACCES) result.why = EACCES;
    return false;
  };
  const std::string path = find_program(program, is_program);
  if (path.empty()) return result;
  struct stat about{};
  result.takes_identity = ::stat(path.c_str(), &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID)) != 0;
  result.interpreter = interpreter_of(path);
  result.why = result.interpreter.empty() ? 0 : access_error(result.interpreter);
  if (result.why == 0) result.interpreter.clear();
  return result;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : kOfSignal + WTERMSIG(status); }

std::string how_ended(int status) {
  if (WIFEXITED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return std::string("was ended by SIG") + (name == nullptr ? "?" : name);
}

std::string why_under_valgrind(int exit_code) {
  if (exit_code != kOfSignal + SIGILL) return {};
  return "; Valgrind lacks some instructions (AVX-512 among them): build without -march=native";
}

std::uint64_t cost_of_start() {
  const std::uint64_t begin = now_ns();
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  if (pid > 0) wait_for(pid);
  return now_ns() - begin;
}

}  // namespace tally::host
