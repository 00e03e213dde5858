/// The host of commands: starts a program, with all processes that come of it, once for each execution.
///
///   tally-host-command [--callgrind-out-file=DUMPS/%p VALGRIND OPTION…]
///   tally-host-command --own-process-numbers    ends with 0 where counted commands get them, else with 1
///
/// With a Valgrind it serves counts: the command runs under the counter, whose files of each process become one dump
/// (protocol/command_tree.h says what both look like). Without, it serves times. It is no larger than it must be: the
/// kernel takes what a process had before it executed a program for a part of that program's peak.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "case_child.h"
#include "clock.h"
#include "command_executions.h"
#include "command_failures.h"
#include "command_request.h"
#include "command_tree.h"
#include "execution.h"
#include "files.h"
#include "folders.h"
#include "fork_server.h"
#include "keeper.h"
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

class CommandCase {
 public:
  CommandCase(const HostOptions& options, Channel channel, const Message& request)
      : options_(options),
        channel_(channel),
        job_(request.job()),
        folders_(request),
        request_(read_request(request)),
        failures_(channel, request.job()),
        executions_(options, request_, folders_, failures_) {}

  void run() {
    if (!failures_.is_done(folders_.make())) return;
    for (const std::string& variable : request_.variables) {
      const std::size_t equals = variable.find('=');
      ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    if (!failures_.is_done(go_to(folders_.home()))) return;
    Keeper keeper;
    const bool measured = is_set_up(keeper) && is_measured(keeper);
    // What was begun is cleaned up after, however it has ended.
    const bool cleaned_up = is_cleaned_up(keeper, measured);
    keeper.end_rest();
    folders_.empty();
    if (measured && cleaned_up) report_use();
  }

 private:
  // --- around all executions, in the keeper's process

  /// Of these, false: it did not end well. The failure has been reported, unless somebody has asked to stop.
  bool is_set_up(Keeper& keeper) {
    if (request_.before_all.empty()) return true;
    enter_stage(Stage::setup);
    if (!failures_.is_done(folders_.use_lasting())) return false;
    const KeptEnd end = keeper.set_up(request_.before_all);
    folders_.use_renewed();
    return has_ended_well(end, "what sets it up", request_.before_all);
  }

  bool is_measured(Keeper& keeper) {
    use_ = static_cast<Use*>(::mmap(nullptr, sizeof(Use), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (use_ == MAP_FAILED) {
      failures_.report(Stage::host, "no memory: " + failure_reason());
      return false;
    }
    const KeptEnd end = keeper.watch([this] {
      const bool measured =
          failures_.is_done(go_to(folders_.own())) && executions_.can_have_their_own() && serve_phases();
      if (measured) *use_ = meter_.of_one();
      executions_.left_behind().copy(use_->left_behind, sizeof use_->left_behind - 1);
      return measured ? 0 : 1;
    });
    if (end.refused != 0) {
      errno = end.refused;
      failures_.report(Stage::host, "cannot fork: " + failure_reason());
    } else if (!end.stopped && WIFSIGNALED(end.status) && shared_page().failed == 0) {
      failures_.report(Stage::region, "what starts it " + how_ended(end.status), "does it kill its parent ($PPID)?");
    }
    return end.refused == 0 && !end.stopped && end.status == 0;
  }

  bool is_cleaned_up(Keeper& keeper, bool measured) {
    if (request_.after_all.empty()) return true;
    if (!failures_.is_done(folders_.use_lasting())) return false;
    // Where it ends early, the stage stays that in which it did.
    if (!measured) return keeper.clean_up(request_.after_all).status == 0;
    enter_stage(Stage::setup);
    return has_ended_well(keeper.clean_up(request_.after_all), "what cleans up after it", request_.after_all);
  }

  bool has_ended_well(const KeptEnd& end, const std::string& what, const std::string& text) {
    if (end.refused == 0 && (end.stopped || end.status == 0)) return !end.stopped;
    errno = end.refused;
    failures_.report(
        Stage::setup,
        what + (end.refused != 0 ? " cannot be started: " + failure_reason() : " " + how_ended(end.status)), text);
    return false;
  }

  // --- the phases, in the process that measures

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
          failures_.report(Stage::host, "the runner sent a message that a case does not know");
          return false;
      }
    }
  }

  // --- counts

  bool count() {
    Tree tree;
    if (phase_ == Phase::statement) {
      const std::string files = options_.dumps + "/tree";
      remove_all(files);
      ::mkdir(files.c_str(), 0700);
      const int counts = ::memfd_create("counts", MFD_CLOEXEC);
      ::ftruncate(counts, kMostOfCounts);
      const bool executed = executions_.execute_counted(files, counts).has_value();
      if (executed) tree = read_tree(files, counts);
      ::close(counts);
      if (!executed) return false;
      remove_all(files);
      if (!tree.lost.empty()) {
        failures_.report(
            Stage::region, "not all of it could be counted: process " + tree.lost + " left no count",
            "is there room in the folder of temporary files (TMPDIR), and no limit of the size of its files "
            "(RLIMIT_FSIZE)?");
        return false;
      }
      if (fails_under_counter(tree)) return false;
      if (tree.processes.empty()) {
        failures_.report(Stage::region, "it left no count: the counter could not start it");
        return false;
      }
    }
    const protocol::DumpPath path = protocol::dump_path(options_.dumps.c_str(), executions_.latest(), ++dumps_);
    if (!write_dump(tree, path)) {
      failures_.report(Stage::region, "cannot write what was counted: " + failure_reason(), path.text);
      return false;
    }
    auto counted = channel_.compose(MessageType::counted, job_);
    counted.number(Field::pid, executions_.latest())
        .number(Field::status, 0)
        .number(Field::iterations, 1)
        .number(Field::dump, dumps_);
    return channel_.send(counted);
  }

  /// Whatever exit codes are expected: without the counter that process does something else.
  bool fails_under_counter(const Tree& tree) const {
    const auto one = std::ranges::find(tree.processes, SIGILL, &TreeProcess::signal);
    if (one == tree.processes.end()) return false;
    failures_.report(Stage::region, "process " + one->place + " (" + one->program + ") " + how_ended(SIGILL) +
                                        why_under_valgrind(exit_code_of(SIGILL)));
    return true;
  }

  // --- times

  bool take_times(const Message& request) {
    const std::uint64_t children = request.number(Field::children, 1);
    for (; phase_ == Phase::statement && request_.warm_up > 0; --request_.warm_up) {
      if (!executions_.execute()) return false;
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
      const auto ended = executions_.execute();
      if (!ended) return std::nullopt;
      samples.push_back(static_cast<double>(ended->lasted_ns) * 1e-9);
      spent += ended->lasted_ns;
      meter_.add(ended->used, exit_code_of(ended->status));
    }
    return samples;
  }

  void report_use() {
    auto report = channel_.compose(MessageType::report, job_);
    if (use_->is_known) {
      report.number(Field::user_ns, use_->user_ns)
          .number(Field::system_ns, use_->system_ns)
          .number(Field::peak_bytes, use_->peak_bytes);
      for (std::size_t code = 0; code < use_->exit_codes.size(); ++code) {
        if (use_->exit_codes[code]) report.number(Field::exit_code, code);
      }
    }
    if (use_->left_behind[0] != 0) report.text(Field::left_behind, use_->left_behind);
    channel_.send(report);
  }

  const HostOptions& options_;
  Channel channel_;
  std::uint32_t job_;
  CommandFolders folders_;
  CommandRequest request_;
  CommandFailures failures_;
  CommandExecutions executions_;
  Phase phase_ = Phase::baseline;
  std::uint64_t dumps_ = 0;
  UseMeter meter_;
  Use* use_ = nullptr;  ///< Both processes see it.
};

void run_case(void* options, Channel channel, const Message& request) {
  CommandCase(*static_cast<const HostOptions*>(options), channel, request).run();
}

int main_of_host(int argc, char** argv) {
  HostOptions options;
  constexpr char kDumps[] = "--callgrind-out-file=";
  if (argc > 1 && std::strncmp(argv[1], kDumps, sizeof kDumps - 1) == 0) {
    options.dumps = argv[1] + sizeof kDumps - 1;
    options.dumps.erase(options.dumps.size() - std::strlen(protocol::kDumpPattern));
    options.under.assign(argv + 2, argv + argc);
    options.grants_own_numbers = grants_own_numbers();
  }
  if (argc > 1 && std::strcmp(argv[1], protocol::command::kAsksForNumbers) == 0) return grants_own_numbers() ? 0 : 1;
  if (::dup3(protocol::kInheritedOutput, protocol::kCaseOutput, O_CLOEXEC) >= 0) keep_output_in_cases();
  return serve({"command", ""}, run_case, &options);
}

}  // namespace
}  // namespace tally::host

int main(int argc, char** argv) { return tally::host::main_of_host(argc, argv); }
