#include "command_executions.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files.h"
#include "protocol/command_tree.h"
#include "protocol/descriptors.h"
#include "shared_page.h"

namespace tally::host {

using protocol::Stage;

namespace {

Ended run_in_shell(const std::string& text) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int errors = ::dup(2);
  Ended ended = execute({.arguments = {"/bin/sh", "-c", text}, .input = nothing, .output = errors});
  ::close(nothing);
  ::close(errors);
  return ended;
}

}  // namespace

bool CommandExecutions::can_have_their_own() {
  wants_own_numbers_ = request_.wants_own_numbers && !options_.dumps.empty();
  if (request_.wants_private_tmp && PrivateTmp::hides(folders_.own())) {
    failures_.report(Stage::setup,
                     "it cannot have a /tmp of its own: it runs in that folder, and would find nothing there",
                     folders_.own());
    return false;
  }
  const bool lacks_numbers = wants_own_numbers_ && !options_.grants_own_numbers;
  errno = lacks_numbers ? enter_user_namespace() : 0;
  if (errno == 0 && request_.wants_private_tmp) errno = get_private_tmp();
  if (errno == 0 && (!wants_own_numbers_ || grants_own_numbers())) return true;
  failures_.report(Stage::setup, std::string("it cannot have ") +
                                     (request_.wants_private_tmp ? "a /tmp" : "process numbers") +
                                     " of its own: the system grants no namespace" +
                                     (errno == 0 ? std::string() : " (" + failure_reason() + ")"));
  return false;
}

/// An errno, else 0.
int CommandExecutions::get_private_tmp() {
  const int why = private_tmp_.make_ready();
  if (why != EPERM) return why;
  if (const int refused = enter_user_namespace(); refused != 0) return refused;
  // This process may now do more than the command, which could not reach its descriptors: another one is between.
  wants_own_numbers_ = !options_.dumps.empty();
  return private_tmp_.make_ready();
}

std::optional<Ended> CommandExecutions::execute_once(const Counted* counted) {
  if (!failures_.is_done(folders_.renew()) || !enters_private_tmp()) return std::nullopt;
  const auto ended = is_prepared() ? start_and_wait(counted) : std::nullopt;
  if (!leaves_private_tmp() || !ended) return std::nullopt;
  const int code = exit_code_of(ended->status);
  if (!request_.expected.empty() && std::ranges::find(request_.expected, code) == request_.expected.end()) {
    failures_.report(Stage::region,
                     "it " + how_ended(ended->status) + (counted != nullptr ? why_under_valgrind(code) : ""));
    return std::nullopt;
  }
  return ended;
}

/// Of both, false: it could not be done, and the failure has been reported. Nothing is to be done where none is
/// wanted.
bool CommandExecutions::enters_private_tmp() {
  if (!request_.wants_private_tmp) return true;
  std::vector<std::string> needed = paths_in_variables();
  needed.insert(needed.end(), {folders_.own(), request_.input, options_.dumps});
  for (const std::string& option : options_.under) {
    if (const std::size_t path = option.find('/'); path != std::string::npos) needed.push_back(option.substr(path));
  }
  needed.emplace_back("/proc/self/exe");  // beside which the counter is
  if (const std::string& program = request_.arguments.front(); program.find('/') != std::string::npos)
    needed.push_back(program.starts_with('/') ? program : path_in(folders_.own(), program));
  if (!private_tmp_.enter(needed)) {
    failures_.report(Stage::setup, "it cannot have a /tmp of its own: " + failure_reason());
    return false;
  }
  return failures_.is_done(go_to(folders_.own()));
}

bool CommandExecutions::leaves_private_tmp() {
  if (!request_.wants_private_tmp) return true;
  left_behind_ = private_tmp_.leave();
  return failures_.is_done(go_to(folders_.own()));
}

/// False: it did not end well, and the failure has been reported.
bool CommandExecutions::is_prepared() {
  if (request_.prepare.empty()) return true;
  enter_stage(Stage::setup);
  const Ended ended = run_in_shell(request_.prepare);
  if (ended.refused != 0 || ended.status != 0 || ended.leaves_processes) {
    errno = ended.refused;
    failures_.report(Stage::setup,
                     "what prepares it" + (ended.refused != 0  ? " cannot be started: " + failure_reason()
                                           : ended.status != 0 ? " " + how_ended(ended.status)
                                                               : " still runs ten seconds after it has ended"),
                     request_.prepare);
    return false;
  }
  enter_stage(Stage::region);
  return true;
}

void CommandExecutions::fail_to_start(int why) {
  const std::string& program = request_.arguments.front();
  const std::string hint = program.find(' ') == std::string::npos
                               ? ""
                               : "\n(one name with a blank in it: each argument is a text of its own; a shell splits)";
  const std::string interpreter = why_not_executable(program).interpreter;
  errno = why;
  failures_.report(
      Stage::setup, "cannot be started: " + failure_reason(),
      program + hint + (interpreter.empty() ? "" : "\n(a script, of the interpreter " + interpreter + ")"));
}

/// False: it cannot be, and the failure has been reported.
bool CommandExecutions::can_be_counted() {
  const NotExecutable obstacle = why_not_executable(request_.arguments.front());
  if (obstacle.why != 0) {
    fail_to_start(obstacle.why);
    return false;
  }
  if (!obstacle.takes_identity) return true;
  failures_.report(Stage::setup, "cannot be counted: Valgrind runs no set-user-ID or set-group-ID program",
                   request_.arguments.front());
  return false;
}

std::vector<std::string> CommandExecutions::counter_arguments(const Counted& counted, bool has_own_numbers) const {
  std::vector<std::string> arguments = options_.under;
  arguments.push_back(protocol::command::kOption + counted.files);
  // In a namespace this process is not to be seen; the first one of that has all of its descriptors.
  arguments.push_back(protocol::command::kCountsOption + ("/proc/" + std::to_string(has_own_numbers ? 1 : ::getpid())) +
                      "/fd/" + std::to_string(counted.counts));
  if (!request_.answers) arguments.emplace_back(protocol::command::kAnswersOption);
  return arguments;
}

/// Below 0: it cannot be opened.
int CommandExecutions::open_output() const {
  if (request_.output == protocol::kOutputToErrors) return ::dup(2);
  if (request_.output == protocol::kOutputInherited) return ::fcntl(protocol::kCaseOutput, F_DUPFD_CLOEXEC, 0);
  constexpr int kAnew = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  return request_.wants_private_tmp ? private_tmp_.open_outside(request_.output, kAnew, 0666)
                                    : ::open(request_.output.c_str(), kAnew, 0666);
}

/// False: one cannot be opened, and the failure has been reported.
bool CommandExecutions::opens_files(Start& start) {
  start.drains = request_.output == protocol::kOutputToPipe;
  start.input = ::open(request_.input.c_str(), O_RDONLY | O_CLOEXEC);
  if (start.input < 0) {
    failures_.report(Stage::setup, "cannot open its input: " + failure_reason(), request_.input);
    return false;
  }
  if (start.drains) return true;
  start.output = open_output();
  if (start.output >= 0) return true;
  failures_.report(Stage::setup, "cannot open its output: " + failure_reason(), request_.output);
  ::close(start.input);
  return false;
}

std::optional<Ended> CommandExecutions::start_and_wait(const Counted* counted) {
  // Where the system answers the command, its numbers are the system's, too, unless others are wanted.
  const bool has_own_numbers =
      counted != nullptr && (wants_own_numbers_ || (request_.answers && options_.grants_own_numbers));
  Start start;
  if (counted != nullptr) {
    if (!can_be_counted()) return std::nullopt;
    start.arguments = counter_arguments(*counted, has_own_numbers);
  }
  start.arguments.insert(start.arguments.end(), request_.arguments.begin(), request_.arguments.end());
  if (!opens_files(start)) return std::nullopt;
  const Ended ended = has_own_numbers ? execute_with_own_numbers(start) : tally::host::execute(start);
  ::close(start.input);
  if (start.output >= 0) ::close(start.output);
  latest_ = static_cast<std::uint64_t>(ended.pid);
  if (ended.refused != 0) {
    fail_to_start(ended.refused);
    return std::nullopt;
  }
  if (ended.leaves_processes) {
    failures_.report(Stage::region, "a process that it has started still runs ten seconds after it has ended",
                     "end it in the command, or measure what starts it otherwise");
    return std::nullopt;
  }
  return ended;
}

}  // namespace tally::host
