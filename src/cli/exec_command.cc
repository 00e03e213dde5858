#include "cli/exec_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <thread>

#include "base/unique_fd.h"
#include "cli/refuse.h"
#include "discovery/valgrind.h"
#include "hosts/host_spec.h"
#include "process/real_runner.h"
#include "process/spawn.h"
#include "serve/socket_place.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kNoSuchProgram = 127;

/// Where the server listens, and where the program does.
struct Places {
  std::string server;
  std::string here;
  std::string log;
};

/// The first that no other program has. Their names stand in the program's environment, whose text moves what is
/// counted by a thousandth: one program after the other has the same.
Places places_in(const fs::path& folder) {
  constexpr int kMost = 1000;
  for (int number = 1;; ++number) {
    const std::string name = fmt::format("exec-{}", number);
    Places places = {
        .server = folder / (name + ".sock"), .here = folder / (name + ".here"), .log = folder / (name + ".log")};
    // A server's lock, held for as long as it lives.
    const UniqueFd lock(::open((places.server + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    const bool is_free = lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
    if (!is_free && number < kMost) continue;
    // Of a program or a server that was killed.
    std::error_code code;
    fs::remove(places.here, code);
    fs::remove(places.server, code);
    return places;
  }
}

/// Ends with this process, whatever that has become by then. Ctrl-C is the program's.
int start_server(const Context& context, const Places& places) {
  const std::vector<std::string> arguments = {context.command.front(), "serve",  "--socket",
                                              places.server,           "--idle", "24h"};
  const std::vector<char*> words = pointers(arguments);
  const pid_t starter = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != starter) ::_exit(1);
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int log = ::open(places.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  ::dup2(nothing, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  ::close_range(3, ~0U, 0);
  ::execv("/proc/self/exe", words.data());
  ::_exit(1);
}

/// False: it has ended, or says nothing for ten seconds.
bool wait_for_server(int server, const std::string& socket) {
  constexpr int kLooks = 1000;
  for (int look = 0; look < kLooks; ++look) {
    struct stat about = {};
    if (::stat(socket.c_str(), &about) == 0 && S_ISSOCK(about.st_mode)) return true;
    int status = 0;
    if (::waitpid(server, &status, WNOHANG) == server) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string program_of_this_process() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).string();
}

std::vector<std::string> environment_for(const Context& context, const Places& places) {
  EnvironmentVariables variables = context.environment;
  set_variable(variables, "TALLY_SERVER", places.server);
  set_variable(variables, "TALLY_HERE", places.here);
  set_variable(variables, "TALLY_LIBEXEC", context.libexec);
  // What the package asks of the program itself, and not of a server.
  if (value_of(variables, "TALLY").empty()) set_variable(variables, "TALLY", program_of_this_process());
  // Else each run orders its sets otherwise.
  if (value_of(variables, "PYTHONHASHSEED").empty()) set_variable(variables, "PYTHONHASHSEED", "0");
  std::vector<std::string> texts;
  texts.reserve(variables.size());
  for (const auto& [name, value] : variables) texts.push_back(fmt::format("{}={}", name, value));
  return texts;
}

}  // namespace

void add_exec_options(OptionSet& command, ExecOptions& options) {
  command.behind_dashes = &options.program;
  command.footer =
      "Write tally exec -- python3 SCRIPT ARGUMENT...\n"
      "tallymark.count() and Timer.collect_callgrind() measure in the process that calls them. See "
      "docs/guides/python.md.";
}

int run_exec(const Context& context, const ExecOptions& options, std::ostream& /*out*/, std::ostream& err) {
  if (options.program.empty()) {
    return refuse("exec", {ErrorKind::input, "no program to run", {}, "write tally exec -- python3 SCRIPT ARGUMENT…"},
                  err);
  }
  const auto program = find_program(options.program.front(), value_of(context.environment, "PATH"));
  if (!program) {
    refuse("exec", {ErrorKind::input, "there is no such program", options.program.front(), ""}, err);
    return kNoSuchProgram;
  }
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const auto valgrind = find_valgrind(runner, context.environment, context.environment, context.libexec);
  if (!valgrind) return refuse("exec", valgrind.error(), err);
  if (valgrind->counter.empty()) {
    return refuse("exec", {ErrorKind::missing, "tally's own counter is not there", {}, "see tally doctor"}, err);
  }
  std::error_code code;
  const std::string ordinary = serve::default_socket(context.environment);
  const fs::path folder = fs::path(ordinary).parent_path();
  // Nobody else may look: as a server's own folder.
  if (fs::create_directories(folder, code)) fs::permissions(folder, fs::perms::owner_all, code);
  if (const Status safe = serve::check_socket_folder(ordinary, true); !safe) return refuse("exec", safe.error(), err);
  const Places places = places_in(folder);
  const int server = start_server(context, places);
  if (server < 0 || !wait_for_server(server, places.server)) {
    return refuse("exec",
                  {ErrorKind::failed, "the server that measures for it does not start", places.log,
                   "its own words are in that file"},
                  err);
  }
  fs::remove(places.log, code);  // it writes on where nobody looks
  std::vector<std::string> arguments = valgrind->counter_start;
  for (std::string& flag : counter_flags(valgrind->counter)) arguments.push_back(std::move(flag));
  // An interpreter may be a script that executes another one.
  arguments.emplace_back("--trace-children=yes");
  arguments.push_back(*program);
  arguments.insert(arguments.end(), options.program.begin() + 1, options.program.end());
  const auto start = find_program(arguments.front(), value_of(context.environment, "PATH")).value_or(arguments.front());
  const std::vector<std::string> variables = environment_for(context, places);
  // A refusal, as in some containers, is none: addresses are then others in each run.
  if (const int before = ::personality(~0UL); before >= 0)
    std::ignore = ::personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
  ::execve(start.c_str(), pointers(arguments).data(), pointers(variables).data());
  const int why = errno;
  ::kill(server, SIGTERM);
  return refuse("exec", {ErrorKind::failed, fmt::format("cannot be started: {}", std::strerror(why)), start, ""}, err);
}

}  // namespace tally::cli
