/// The host of commands: starts a program, with all processes that come of it, once for each execution.
///
///   tally-host-command [--callgrind-out-file=DUMPS/%p VALGRIND OPTION…]
///   tally-host-command --own-process-numbers    ends with 0 where counted commands get them, else with 1
///
/// With a Valgrind it serves counts: the command runs under the counter, whose files of each process become one dump
/// (protocol/command_tree.h says what both look like). Without, it serves times. It is no larger than it must be: the
/// kernel takes what a process had before it executed a program for a part of that program's peak.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "case_child.h"
#include "command_request.h"
#include "command_tree.h"
#include "execution.h"
#include "files.h"
#include "folders.h"
#include "fork_server.h"
#include "keeper.h"
#include "private_tmp.h"
#include "protocol/command_tree.h"
#include "protocol/descriptors.h"
#include "protocol/dump_names.h"
#include "shared_page.h"
#include "use.h"

namespace tally::host {
namespace {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;
using protocol::Phase;
using protocol::Stage;

constexpr std::uint64_t kLeastSamples = 3;       // of a child
constexpr off_t kMostOfCounts = off_t{1} << 42;  // of which nothing takes memory but what is written
constexpr std::uint64_t kLong = 3'000'000'000;   // ns
constexpr std::uint64_t kStartSamples = 20;      // of what a start costs

/// What the host was started with.
std::string g_dumps;               // Empty: it serves times.
std::vector<std::string> g_under;  // What a command is put behind, to be counted.
bool g_grants_own_numbers = false;

std::uint64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

class CommandCase {
 public:
  CommandCase(Channel channel, const Message& request)
      : channel_(channel), job_(request.job()), folders_(request), request_(read_request(request)) {}

  void run() {
    if (!is_done(folders_.make())) return;
    for (const std::string& variable : request_.variables) {
      const std::size_t equals = variable.find('=');
      ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    if (!is_done(go_to(folders_.home()))) return;
    Keeper keeper;
    const bool measured = is_set_up(keeper) && is_measured(keeper);
    // What was begun is cleaned up after, however it has ended.
    const bool cleaned_up = is_cleaned_up(keeper, measured);
    keeper.end_rest();
    folders_.empty();
    if (measured && cleaned_up) report_use();
  }

 private:
  static std::string reason() { return std::strerror(errno); }  // NOLINT(concurrency-mt-unsafe): there is one thread

  /// False: it could not be done, and the failure has been reported.
  bool is_done(const std::optional<FolderProblem>& problem) {
    if (problem) fail(Stage::setup, problem->message, problem->detail);
    return !problem;
  }

  void fail(Stage stage, const std::string& message, const std::string& detail = {}) {
    shared_page().failed = 1;
    auto failure = channel_.compose(MessageType::failed, job_);
    failure.number(Field::stage, static_cast<std::uint64_t>(stage)).text(Field::message, message.substr(0, 4096));
    failure.text(Field::detail, detail.substr(0, 4096));
    channel_.send(failure);
  }

  // --- around all executions, in the keeper's process

  /// Of these, false: it did not end well. The failure has been reported, unless somebody has asked to stop.
  bool is_set_up(Keeper& keeper) {
    if (request_.before_all.empty()) return true;
    enter_stage(Stage::setup);
    return has_ended_well(keeper.set_up(request_.before_all), "what sets it up", request_.before_all);
  }

  bool is_measured(Keeper& keeper) {
    use_ = static_cast<Use*>(::mmap(nullptr, sizeof(Use), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (use_ == MAP_FAILED) {
      fail(Stage::host, "no memory: " + reason());
      return false;
    }
    const KeptEnd end = keeper.watch([this] {
      const bool measured = is_done(go_to(folders_.own())) && can_have_its_own() && serve_phases();
      if (measured) *use_ = meter_.of_one();
      left_behind_.copy(use_->left_behind, sizeof use_->left_behind - 1);
      return measured ? 0 : 1;
    });
    if (end.refused != 0) {
      errno = end.refused;
      fail(Stage::host, "cannot fork: " + reason());
    } else if (!end.stopped && WIFSIGNALED(end.status) && shared_page().failed == 0) {
      fail(Stage::region, "what starts it " + how_ended(end.status), "does it kill its parent ($PPID)?");
    }
    return end.refused == 0 && !end.stopped && end.status == 0;
  }

  bool is_cleaned_up(Keeper& keeper, bool measured) {
    if (request_.after_all.empty()) return true;
    // Where it ends early, the stage stays that in which it did.
    if (!measured) return keeper.clean_up(request_.after_all).status == 0;
    enter_stage(Stage::setup);
    return has_ended_well(keeper.clean_up(request_.after_all), "what cleans up after it", request_.after_all);
  }

  bool has_ended_well(const KeptEnd& end, const std::string& what, const std::string& text) {
    if (end.refused == 0 && (end.stopped || end.status == 0)) return !end.stopped;
    errno = end.refused;
    fail(Stage::setup, what + (end.refused != 0 ? " cannot be started: " + reason() : " " + how_ended(end.status)),
         text);
    return false;
  }

  // --- the phases, in the process that measures

  /// False: it wants something of its own, and does not get it; the failure has been reported.
  bool can_have_its_own() {
    wants_own_numbers_ = request_.wants_own_numbers && !g_dumps.empty();
    if (request_.wants_private_tmp && PrivateTmp::hides(folders_.own())) {
      fail(Stage::setup, "it cannot have a /tmp of its own: it runs in that folder, and would find nothing there",
           folders_.own());
      return false;
    }
    const bool lacks_numbers = wants_own_numbers_ && !g_grants_own_numbers;
    errno = lacks_numbers ? enter_user_namespace() : 0;
    if (errno == 0 && request_.wants_private_tmp) errno = get_private_tmp();
    if (errno == 0 && (!wants_own_numbers_ || grants_own_numbers())) return true;
    fail(Stage::setup, std::string("it cannot have ") + (request_.wants_private_tmp ? "a /tmp" : "process numbers") +
                           " of its own: the system grants no namespace" +
                           (errno == 0 ? std::string() : " (" + reason() + ")"));
    return false;
  }

  /// An errno, else 0.
  int get_private_tmp() {
    const int why = private_tmp_.make_ready();
    if (why != EPERM) return why;
    if (const int refused = enter_user_namespace(); refused != 0) return refused;
    // This process may now do more than the command, which could not reach its descriptors: another one is between.
    wants_own_numbers_ = !g_dumps.empty();
    return private_tmp_.make_ready();
  }

  /// False: the case has failed, or nobody asks any more.
  bool serve_phases() {
    for (const Phase phase : {Phase::baseline, Phase::statement}) {
      phase_ = phase;
      enter_stage(Stage::region);
      auto ready = channel_.compose(MessageType::ready, job_);
      ready.number(Field::phase, static_cast<std::uint64_t>(phase)).number(Field::threads, 1);
      channel_.send(ready);
      if (!serve_phase()) return false;
    }
    return true;
  }

  bool serve_phase() {
    for (;;) {
      const Channel::Received received = channel_.receive();
      if (!received.open) return false;
      switch (received.message.type()) {
        case MessageType::count:
          if (!count()) return false;
          break;
        case MessageType::time:
          if (!take_times(received.message)) return false;
          break;
        case MessageType::advance:
          return true;
        default:
          fail(Stage::host, "the runner sent a message that a case does not know");
          return false;
      }
    }
  }

  // --- counts

  bool count() {
    Tree tree;
    if (phase_ == Phase::statement) {
      const std::string files = g_dumps + "/tree";
      remove_all(files);
      ::mkdir(files.c_str(), 0700);
      counts_ = ::memfd_create("counts", MFD_CLOEXEC);
      ::ftruncate(counts_, kMostOfCounts);
      const bool executed = execute_once(true).has_value();
      if (executed) tree = read_tree(files, counts_);
      ::close(counts_);
      if (!executed) return false;
      remove_all(files);
      if (!tree.lost.empty()) {
        fail(Stage::region, "not all of it could be counted: process " + tree.lost + " left no count",
             "is there room in the folder of temporary files (TMPDIR), and no limit of the size of its files "
             "(RLIMIT_FSIZE)?");
        return false;
      }
      if (tree.processes.empty()) {
        fail(Stage::region, "it left no count: the counter could not start it");
        return false;
      }
    }
    const protocol::DumpPath path = protocol::dump_path(g_dumps.c_str(), started_, ++dumps_);
    if (!write_dump(tree, path)) {
      fail(Stage::region, "cannot write what was counted: " + reason(), path.text);
      return false;
    }
    auto counted = channel_.compose(MessageType::counted, job_);
    counted.number(Field::pid, started_)
        .number(Field::status, 0)
        .number(Field::iterations, 1)
        .number(Field::dump, dumps_);
    return channel_.send(counted);
  }

  // --- times

  bool take_times(const Message& request) {
    const std::uint64_t children = request.number(Field::children, 1);
    for (; phase_ == Phase::statement && request_.warm_up > 0; --request_.warm_up) {
      if (!execute_once(false)) return false;
    }
    for (std::uint64_t child = 0; child < children; ++child) {
      const std::uint64_t begin = now_ns();
      const auto samples = phase_ == Phase::baseline ? times_of_start() : times_of_command(request);
      if (!samples) return false;
      auto timed = channel_.compose(MessageType::timed, job_);
      timed.number(Field::pid, static_cast<std::uint64_t>(::getpid()))
          .number(Field::status, 0)
          .number(Field::iterations, 1)
          .number(Field::spent_ns, now_ns() - begin)
          .text(Field::samples, {reinterpret_cast<const char*>(samples->data()), samples->size() * sizeof(double)});
      if (!channel_.send(timed)) return false;
    }
    return true;
  }

  /// What is taken off of a command's: of a process that executes nothing.
  static std::optional<std::vector<double>> times_of_start() {
    // The least of them: what a busy machine adds to one is no cost of a start, and would be taken off of all times.
    std::uint64_t least = cost_of_start();
    for (std::uint64_t i = 1; i < kStartSamples; ++i) least = std::min(least, cost_of_start());
    return std::vector{static_cast<double>(least) * 1e-9};
  }

  /// Nothing: one did not end as it should.
  std::optional<std::vector<double>> times_of_command(const Message& request) {
    const std::uint64_t budget = request.number(Field::budget_ns, 0);
    const std::uint64_t wanted = request.number(Field::least_samples, 0);
    // So many were wanted, and no others.
    const bool are_given = wanted > 0 && budget == 0;
    const std::uint64_t least = are_given ? wanted : std::max(wanted, kLeastSamples);
    std::vector<double> samples;
    std::uint64_t spent = 0;
    // Of what takes long one sample is enough: other children take theirs.
    const auto is_enough = [&] {
      if (samples.size() >= SharedPage::kMaxSamples) return true;
      if (are_given) return samples.size() >= wanted;
      return spent >= kLong || (samples.size() >= least && spent >= budget);
    };
    while (!is_enough()) {
      const auto ended = execute_once(false);
      if (!ended) return std::nullopt;
      samples.push_back(static_cast<double>(ended->lasted_ns) * 1e-9);
      spent += ended->lasted_ns;
      meter_.add(ended->used);
    }
    return samples;
  }

  void report_use() {
    auto report = channel_.compose(MessageType::report, job_);
    if (use_->is_known) {
      report.number(Field::user_ns, use_->user_ns)
          .number(Field::system_ns, use_->system_ns)
          .number(Field::peak_bytes, use_->peak_bytes);
    }
    if (use_->left_behind[0] != 0) report.text(Field::left_behind, use_->left_behind);
    channel_.send(report);
  }

  // --- an execution

  /// Nothing: it did not end as it should, and the failure has been reported.
  std::optional<Ended> execute_once(bool counted) {
    if (!is_done(folders_.renew()) || !enters_private_tmp()) return std::nullopt;
    const auto ended = is_prepared() ? start_and_wait(counted) : std::nullopt;
    if (!leaves_private_tmp() || !ended) return std::nullopt;
    const int code = exit_code_of(ended->status);
    if (!request_.expected.empty() && std::ranges::find(request_.expected, code) == request_.expected.end()) {
      fail(Stage::region, "it " + how_ended(ended->status) + (counted ? why_under_valgrind(code) : ""));
      return std::nullopt;
    }
    return ended;
  }

  /// Of both, false: it could not be done, and the failure has been reported. Nothing is to be done where none is
  /// wanted.
  bool enters_private_tmp() {
    if (!request_.wants_private_tmp) return true;
    std::vector<std::string> needed = paths_in_variables();
    needed.insert(needed.end(), {folders_.own(), request_.input, g_dumps});
    for (const std::string& option : g_under) {
      if (const std::size_t path = option.find('/'); path != std::string::npos) needed.push_back(option.substr(path));
    }
    needed.emplace_back("/proc/self/exe");  // beside which the counter is
    if (const std::string& program = request_.arguments.front(); program.find('/') != std::string::npos)
      needed.push_back(program.starts_with('/') ? program : path_in(folders_.own(), program));
    if (!private_tmp_.enter(needed)) {
      fail(Stage::setup, "it cannot have a /tmp of its own: " + reason());
      return false;
    }
    return is_done(go_to(folders_.own()));
  }

  bool leaves_private_tmp() {
    if (!request_.wants_private_tmp) return true;
    left_behind_ = private_tmp_.leave();
    return is_done(go_to(folders_.own()));
  }

  /// False: it did not end well, and the failure has been reported.
  bool is_prepared() {
    if (request_.prepare.empty()) return true;
    enter_stage(Stage::setup);
    const Ended ended = run_in_shell(request_.prepare);
    if (ended.refused != 0 || ended.status != 0 || ended.leaves_processes) {
      errno = ended.refused;
      fail(Stage::setup,
           "what prepares it" + (ended.refused != 0  ? " cannot be started: " + reason()
                                 : ended.status != 0 ? " " + how_ended(ended.status)
                                                     : " still runs ten seconds after it has ended"),
           request_.prepare);
      return false;
    }
    enter_stage(Stage::region);
    return true;
  }

  static Ended run_in_shell(const std::string& text) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int errors = ::dup(2);
    Ended ended = execute({.arguments = {"/bin/sh", "-c", text}, .input = nothing, .output = errors});
    ::close(nothing);
    ::close(errors);
    return ended;
  }

  void fail_to_start(int why) {
    const std::string& program = request_.arguments.front();
    const std::string hint =
        program.find(' ') == std::string::npos
            ? ""
            : "\n(one name with a blank in it: each argument is a text of its own; a shell splits)";
    const std::string interpreter = why_not_executable(program).interpreter;
    errno = why;
    fail(Stage::setup, "cannot be started: " + reason(),
         program + hint + (interpreter.empty() ? "" : "\n(a script, of the interpreter " + interpreter + ")"));
  }

  std::optional<Ended> start_and_wait(bool counted) {
    // Where the system answers the command, its numbers are the system's, too, unless others are wanted.
    const bool has_own_numbers = counted && (wants_own_numbers_ || (request_.answers && g_grants_own_numbers));
    Start start;
    if (counted) {
      const NotExecutable obstacle = why_not_executable(request_.arguments.front());
      if (obstacle.why != 0) {
        fail_to_start(obstacle.why);
        return std::nullopt;
      }
      if (obstacle.takes_identity) {
        fail(Stage::setup, "cannot be counted: Valgrind runs no set-user-ID or set-group-ID program",
             request_.arguments.front());
        return std::nullopt;
      }
      start.arguments = g_under;
      start.arguments.push_back(protocol::command::kOption + g_dumps + "/tree");
      // In a namespace this process is not to be seen; the first one of that has all of its descriptors.
      start.arguments.push_back(protocol::command::kCountsOption +
                                ("/proc/" + std::to_string(has_own_numbers ? 1 : ::getpid())) + "/fd/" +
                                std::to_string(counts_));
      if (!request_.answers) start.arguments.emplace_back(protocol::command::kAnswersOption);
    }
    start.arguments.insert(start.arguments.end(), request_.arguments.begin(), request_.arguments.end());
    start.drains = request_.output == protocol::kOutputToPipe;
    start.input = ::open(request_.input.c_str(), O_RDONLY | O_CLOEXEC);
    if (start.input < 0) {
      fail(Stage::setup, "cannot open its input: " + reason(), request_.input);
      return std::nullopt;
    }
    if (request_.output == protocol::kOutputToErrors) {
      start.output = ::dup(2);
    } else if (request_.output == protocol::kOutputInherited) {
      start.output = ::fcntl(protocol::kCaseOutput, F_DUPFD_CLOEXEC, 0);
    } else if (!start.drains) {
      constexpr int kAnew = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
      start.output = request_.wants_private_tmp ? private_tmp_.open_outside(request_.output, kAnew, 0666)
                                                : ::open(request_.output.c_str(), kAnew, 0666);
    }
    if (!start.drains && start.output < 0) {
      fail(Stage::setup, "cannot open its output: " + reason(), request_.output);
      ::close(start.input);
      return std::nullopt;
    }
    const Ended ended = has_own_numbers ? execute_with_own_numbers(start) : execute(start);
    ::close(start.input);
    if (start.output >= 0) ::close(start.output);
    started_ = static_cast<std::uint64_t>(ended.pid);
    if (ended.refused != 0) {
      fail_to_start(ended.refused);
      return std::nullopt;
    }
    if (ended.leaves_processes) {
      fail(Stage::region, "a process that it has started still runs ten seconds after it has ended",
           "end it in the command, or measure what starts it otherwise");
      return std::nullopt;
    }
    return ended;
  }

  Channel channel_;
  std::uint32_t job_;
  CommandFolders folders_;
  CommandRequest request_;
  Phase phase_ = Phase::baseline;
  std::uint64_t started_ = 1;  ///< The latest process: what counts is its, and not this one's.
  std::uint64_t dumps_ = 0;
  int counts_ = -1;  ///< What all processes of an execution count in.
  bool wants_own_numbers_ = false;
  PrivateTmp private_tmp_;
  std::string left_behind_;  ///< By the latest execution, in a /tmp of its own.
  UseMeter meter_;
  Use* use_ = nullptr;  ///< Both processes see it.
};

void run_case(void* /*context*/, Channel channel, const Message& request) { CommandCase(channel, request).run(); }

int main_of_host(int argc, char** argv) {
  constexpr char kDumps[] = "--callgrind-out-file=";
  if (argc > 1 && std::strncmp(argv[1], kDumps, sizeof kDumps - 1) == 0) {
    g_dumps = argv[1] + sizeof kDumps - 1;
    g_dumps.erase(g_dumps.size() - std::strlen(protocol::kDumpPattern));
    g_under.assign(argv + 2, argv + argc);
    g_grants_own_numbers = grants_own_numbers();
  }
  if (argc > 1 && std::strcmp(argv[1], protocol::command::kAsksForNumbers) == 0) return grants_own_numbers() ? 0 : 1;
  if (::dup3(protocol::kInheritedOutput, protocol::kCaseOutput, O_CLOEXEC) >= 0) keep_output_in_cases();
  return serve({"command", ""}, run_case, nullptr);
}

}  // namespace
}  // namespace tally::host

int main(int argc, char** argv) { return tally::host::main_of_host(argc, argv); }
