/// The host of commands: starts a program, with all processes that come of it, once for each execution.
///
///   tally-host-command [--callgrind-out-file=DUMPS/%p VALGRIND OPTION…]
///
/// With a Valgrind it serves counts: the command runs under the counter, whose files of each process become one dump
/// (protocol/command_tree.h says what both look like). Without, it serves times. It is no larger than it must be: the
/// kernel takes what a process had before it executed a program for a part of that program's peak.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

#include "command_tree.h"
#include "fork_server.h"
#include "protocol/command_tree.h"
#include "protocol/descriptors.h"
#include "protocol/dump_names.h"
#include "shared_page.h"

namespace tally::host {
namespace {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;
using protocol::Phase;
using protocol::Stage;

constexpr char kNothing[] = "/dev/null";
constexpr std::uint64_t kLeastSamples = 3;       // of a child
constexpr off_t kMostOfCounts = off_t{1} << 42;  // of which nothing takes memory but what is written
constexpr std::uint64_t kLong = 3'000'000'000;   // ns
constexpr int kPatience = 10'000;                // milliseconds that processes may outlive their command

/// What the host was started with.
std::string g_dumps;              // Empty: it serves times.
std::vector<char*> g_under = {};  // What a command is put behind, to be counted.

std::uint64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// How one execution ended.
struct Ended {
  int status = 0;
  std::uint64_t lasted_ns = 0;
  rusage used{};
};

class CommandCase {
 public:
  CommandCase(Channel channel, const Message& request) : channel_(channel), job_(request.job()) {
    std::string_view arguments = request.text(Field::argument).value_or("");
    for (std::size_t end = 0; (end = arguments.find('\0')) != std::string_view::npos; arguments.remove_prefix(end + 1))
      arguments_.emplace_back(arguments.substr(0, end));
    for (std::size_t i = 0; i < request.count(Field::variable); ++i)
      variables_.emplace_back(*request.nth(Field::variable, i));
    for (std::size_t i = 0; i < request.count(Field::expected); ++i)
      expected_.push_back(static_cast<int>(request.number(Field::expected, 0, i)));
    prepare_ = request.text(Field::setup_part).value_or("");
    input_ = request.text(Field::input).value_or(kNothing);
    output_ = request.text(Field::output).value_or(kNothing);
    folder_ = request.text(Field::command_folder).value_or("");
    temporary_ = request.text(Field::folder).value_or("");
    warm_up_ = request.number(Field::warm_up);
    answers_ = request.number(Field::system_entropy) == 0;
  }

  void run() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::setenv("TMPDIR", temporary_.c_str(), 1);
    if (::chdir(folder_.c_str()) != 0)
      return fail(Stage::setup, "cannot enter its working folder: " + reason(), folder_);
    if (::getenv("PWD") != nullptr) ::setenv("PWD", folder_.c_str(), 1);
    for (const std::string& variable : variables_) {
      const std::size_t equals = variable.find('=');
      ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    for (const Phase phase : {Phase::baseline, Phase::statement}) {
      phase_ = phase;
      enter_stage(Stage::region);
      auto ready = channel_.compose(MessageType::ready, job_);
      ready.number(Field::phase, static_cast<std::uint64_t>(phase)).number(Field::threads, 1);
      channel_.send(ready);
      if (!serve_phase()) return;
    }
    report_use();
  }

 private:
  static std::string reason() { return std::strerror(errno); }  // NOLINT(concurrency-mt-unsafe): there is one thread

  void fail(Stage stage, const std::string& message, const std::string& detail = {}) {
    shared_page().failed = 1;
    auto failure = channel_.compose(MessageType::failed, job_);
    failure.number(Field::stage, static_cast<std::uint64_t>(stage)).text(Field::message, message.substr(0, 4096));
    failure.text(Field::detail, detail.substr(0, 4096));
    channel_.send(failure);
  }

  /// False: the case has failed, or nobody asks any more.
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
      const bool executed = execute(true).has_value();
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
    const std::uint64_t budget = request.number(Field::budget_ns, 0);
    const std::uint64_t least = std::max(request.number(Field::least_samples, 0), kLeastSamples);
    for (; phase_ == Phase::statement && warm_up_ > 0; --warm_up_) {
      if (!execute(false)) return false;
    }
    for (std::uint64_t child = 0; child < children; ++child) {
      std::vector<double> samples;
      const std::uint64_t begin = now_ns();
      if (phase_ == Phase::baseline) samples.push_back(0);
      std::uint64_t spent = 0;
      // Of what takes long one sample is enough: other children take theirs.
      const auto is_enough = [&] {
        return spent >= kLong || (samples.size() >= least && spent >= budget) ||
               samples.size() >= SharedPage::kMaxSamples;
      };
      while (phase_ == Phase::statement && !is_enough()) {
        const auto ended = execute(false);
        if (!ended) return false;
        samples.push_back(static_cast<double>(ended->lasted_ns) * 1e-9);
        spent += ended->lasted_ns;
        user_s_.push_back(seconds(ended->used.ru_utime));
        system_s_.push_back(seconds(ended->used.ru_stime));
        peak_bytes_ = std::max(peak_bytes_, static_cast<std::uint64_t>(ended->used.ru_maxrss) * 1024);
      }
      auto timed = channel_.compose(MessageType::timed, job_);
      timed.number(Field::pid, static_cast<std::uint64_t>(::getpid()))
          .number(Field::status, 0)
          .number(Field::iterations, 1)
          .number(Field::spent_ns, now_ns() - begin)
          .number(Field::manual, 1)  // no loop is around it, and nothing is to be taken off
          .text(Field::samples, {reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(double)});
      if (!channel_.send(timed)) return false;
    }
    return true;
  }

  void report_use() {
    auto report = channel_.compose(MessageType::told, job_);
    if (!user_s_.empty()) {
      report.number(Field::user_ns, static_cast<std::uint64_t>(median(user_s_) * 1e9))
          .number(Field::system_ns, static_cast<std::uint64_t>(median(system_s_) * 1e9))
          .number(Field::peak_bytes, peak_bytes_);
    }
    channel_.send(report);
  }

  // --- an execution

  /// Nothing: it did not end as it should, and the failure has been reported.
  std::optional<Ended> execute(bool counted) {
    empty_folder(temporary_);
    if (!prepare_.empty()) {
      enter_stage(Stage::setup);
      std::vector<std::string> shell = {"/bin/sh", "-c", prepare_};
      const auto ended = start_and_wait(shell, false, kNothing, "");
      if (!ended) return std::nullopt;
      if (ended->status != 0) {
        fail(Stage::setup, "what prepares it " + how(ended->status), prepare_);
        return std::nullopt;
      }
      enter_stage(Stage::region);
    }
    const auto ended = start_and_wait(arguments_, counted, input_, output_);
    if (!ended) return std::nullopt;
    const bool exited = WIFEXITED(ended->status);
    if (!expected_.empty() &&
        !(exited && std::ranges::find(expected_, WEXITSTATUS(ended->status)) != expected_.end())) {
      fail(Stage::region, "it " + how(ended->status));
      return std::nullopt;
    }
    return ended;
  }

  static std::string how(int status) {
    if (WIFEXITED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
    const char* const name = sigabbrev_np(WTERMSIG(status));
    return std::string("was ended by SIG") + (name == nullptr ? "?" : name);
  }

  std::optional<Ended> start_and_wait(std::vector<std::string>& arguments, bool counted, const std::string& input,
                                      const std::string& output) {
    std::vector<char*> argv;
    std::string folder_option;
    std::string counts_option;
    std::string answers_option = protocol::command::kAnswersOption;
    if (counted) {
      argv = g_under;
      folder_option = protocol::command::kOption + g_dumps + "/tree";
      argv.push_back(folder_option.data());
      counts_option =
          protocol::command::kCountsOption + ("/proc/" + std::to_string(::getpid())) + "/fd/" + std::to_string(counts_);
      argv.push_back(counts_option.data());
      if (!answers_) argv.push_back(answers_option.data());
      if (!find_program(arguments.front())) return std::nullopt;
    }
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int from = ::open(input.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) {
      fail(Stage::setup, "cannot open its input: " + reason(), input);
      return std::nullopt;
    }
    const int to = output.empty() ? ::dup(2) : ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0) {
      fail(Stage::setup, "cannot open its output: " + reason(), output);
      return std::nullopt;
    }
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) {
      fail(Stage::setup, "cannot create a pipe: " + reason());
      return std::nullopt;
    }
    const std::uint64_t begin = now_ns();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(from, 0);
      ::dup2(to, 1);
      ::execvp(argv.front(), argv.data());
      const int why = errno;
      (void)!::write(failure[1], &why, sizeof why);
      ::_exit(127);
    }
    if (pid > 0) started_ = static_cast<std::uint64_t>(pid);
    ::close(from);
    ::close(to);
    ::close(failure[1]);
    Ended ended;
    int why = 0;
    const bool refused = ::read(failure[0], &why, sizeof why) == sizeof why;
    ::close(failure[0]);
    while (::wait4(pid, &ended.status, 0, &ended.used) < 0 && errno == EINTR) {
    }
    ended.lasted_ns = now_ns() - begin;
    if (pid < 0 || refused) {
      errno = refused ? why : EAGAIN;
      fail(Stage::setup, "cannot be started: " + reason(), arguments.front());
      return std::nullopt;
    }
    if (!wait_for_others()) return std::nullopt;
    return ended;
  }

  /// As execvp() would find it: Valgrind says in words of its own that it has not.
  bool find_program(const std::string& program) {
    errno = ENOENT;
    bool found = false;
    const auto is_program = [](const std::string& path) {
      struct stat about{};
      if (::stat(path.c_str(), &about) != 0) return false;
      if (S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0) return true;
      errno = EACCES;
      return false;
    };
    if (program.find('/') != std::string::npos) {
      found = is_program(program);
    } else {
      const char* const path = ::getenv("PATH");
      std::string left = path == nullptr ? "/bin:/usr/bin" : path;
      for (std::size_t end = 0; !found && end != std::string::npos;) {
        end = left.find(':');
        const std::string folder = left.substr(0, end);
        found = is_program((folder.empty() ? "." : folder) + "/" + program);
        if (end != std::string::npos) left.erase(0, end + 1);
      }
    }
    if (found) return true;
    const std::string hint =
        program.find(' ') == std::string::npos
            ? ""
            : "\n(one name with a blank in it: each argument is a text of its own; a shell splits)";
    fail(Stage::setup, "cannot be started: " + reason(), program + hint);
    return false;
  }

  /// Its other processes are its own, too, and their counts are a part of its count: until they have ended, there is
  /// none.
  bool wait_for_others() {
    for (int waited = 0;; ++waited) {
      const pid_t one = ::waitpid(-1, nullptr, WNOHANG);
      if (one < 0) return true;  // there are none
      if (one > 0) continue;
      if (waited >= kPatience) break;
      const timespec millisecond{0, 1'000'000};
      ::nanosleep(&millisecond, nullptr);
    }
    fail(Stage::region, "a process that it has started goes on ten seconds after it has ended",
         "end it in the command, or measure what starts it otherwise");
    return false;
  }

  Channel channel_;
  std::uint32_t job_;
  std::vector<std::string> arguments_;
  std::vector<std::string> variables_;
  std::vector<int> expected_;  ///< Exit codes; empty: any end will do.
  std::string prepare_;
  std::string input_;
  std::string output_;  ///< Empty: where its errors go.
  std::string folder_;
  std::string temporary_;      ///< Emptied before each execution.
  std::uint64_t warm_up_ = 0;  ///< Executions that are left to do before one is timed.
  bool answers_ = true;
  Phase phase_ = Phase::baseline;
  std::uint64_t started_ = 1;  ///< The latest process: what counts is its, and not this one's.
  std::uint64_t dumps_ = 0;
  int counts_ = -1;  ///< What all processes of an execution count in.
  std::vector<double> user_s_;
  std::vector<double> system_s_;
  std::uint64_t peak_bytes_ = 0;
};

void run_case(void* /*context*/, Channel channel, const Message& request) { CommandCase(channel, request).run(); }

int main_of_host(int argc, char** argv) {
  constexpr char kDumps[] = "--callgrind-out-file=";
  if (argc > 1 && std::strncmp(argv[1], kDumps, sizeof kDumps - 1) == 0) {
    g_dumps = argv[1] + sizeof kDumps - 1;
    g_dumps.erase(g_dumps.size() - std::strlen(protocol::kDumpPattern));
    g_under.assign(argv + 2, argv + argc);
  }
  return serve({"command", ""}, run_case, nullptr);
}

}  // namespace
}  // namespace tally::host

int main(int argc, char** argv) { return tally::host::main_of_host(argc, argv); }
