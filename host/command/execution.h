/// One execution of a program: started, waited for, and with it all processes that come of it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tally::host {

struct Start {
  std::vector<std::string> arguments;  ///< The program first; as execvp() looks for it.
  int input = -1;                      ///< Descriptors, which stay open here.
  int output = -1;
  bool drains = false;  ///< `output` is ignored: what it writes goes through a pipe, and is thrown away.
};

struct Ended {
  int refused = 0;              ///< Why it could not be started, an errno; with one, nothing else here means anything.
  pid_t pid = 0;                ///< Its own name for itself is another, where it has a namespace.
  int status = 0;               ///< As wait(2) has it.
  std::uint64_t lasted_ns = 0;  ///< From fork() until it had ended.
  rusage used{};                ///< Of it, and of the processes that it waited for.
  bool leaves_processes = false;  ///< Some ran for ten seconds after it had ended.
};

/// Starts it, and does not wait. It leads a process group of its own, so that its `kill 0` reaches its own processes
/// alone, and blocks no signal. An errno says why it could not be started; else 0, and `pid` is its number.
int start_program(const Start& start, pid_t& pid);

/// The caller is the subreaper of its processes (prctl).
Ended execute(const Start& start);

/// Likewise, with process numbers of its own: the first is always 2, and /proc shows them. What it leaves is killed.
Ended execute_with_own_numbers(const Start& start);
/// Whether it can: the system grants a namespace to those who may administrate it, and not in every container.
bool grants_own_numbers();

/// This process and all that it starts get a namespace of users in which it is who it was, and may do what a namespace
/// of processes takes. All users and groups but its own are nobody there. An errno, else 0.
int enter_user_namespace();

/// Why execvp() would not start it: Valgrind says so in words of its own.
struct NotExecutable {
  int why = 0;                  ///< An errno; 0: it would.
  std::string interpreter;      ///< Of a script: the one that cannot be found. Else empty.
  bool takes_identity = false;  ///< It would be, but runs as another user or group, which Valgrind refuses.
};
NotExecutable why_not_executable(const std::string& program);

/// Of a status as wait(2) has it: as a shell says it, 128 and the signal's number.
int exit_code_of(int status);
/// "exited with code 1", "was ended by SIGSEGV".
std::string how_ended(int status);
/// What to report about the exit code of a command under Valgrind that it would hardly have had without; or empty.
std::string why_under_valgrind(int exit_code);

/// What starting a process takes, and waiting for its end: of one that executes nothing. Nanoseconds.
std::uint64_t cost_of_start();

}  // namespace tally::host
