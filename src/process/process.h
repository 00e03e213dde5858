/// The one seam of the project: starting processes and waiting for what happens to them.
///
/// Owns: the words of a request, an outcome and an event, and the abstract runner. The real runner (real_runner.h) is
/// the only place of the runner that waits for children; the fake one (testing/fake_runner.h) is for tests of what sits
/// above. Event driven and single-threaded: start processes, watch descriptors, then wait() in a loop.
/// Every process runs under tally-supervisor (0.6 ms): nothing that it starts outlives it, or us (StopGrace::orphaned).
/// Never: a shell, an inherited environment, an inherited descriptor, an inherited signal mask.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "process/bounded_output.h"
#include "process/cpu_set.h"
#include "process/wait_status.h"

namespace tally {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// Never used twice by one runner; orders processes by when they were started.
enum class ProcessId : std::uint64_t {};

/// Environment variables in the order in which the process sees them (the block's layout can move counts).
using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

/// How long a process that must stop has after SIGINT, and then after SIGTERM, before the next step; SIGKILL is last.
struct StopGrace {
  Milliseconds interrupt{1000};
  Milliseconds terminate{1000};
  Milliseconds orphaned{0};  ///< When we were killed: to end by itself, before SIGKILL.
};

/// A descriptor that the process gets under the number `target`. With target 1 or 2 that stream is not captured.
struct PassedFd {
  int target = -1;
  UniqueFd fd;
};

struct ProcessRequest {
  std::vector<std::string> argv;     ///< argv[0] without a slash is looked for in the PATH of `environment`.
  EnvironmentVariables environment;  ///< Complete: nothing is inherited.
  std::string working_folder;        ///< Empty: the caller's.
  CpuSet cpus;                       ///< Empty: not pinned.
  std::uint64_t stack_bytes = 0;     ///< The soft limit of its stack, as far as the hard one allows; 0: the caller's.
  bool disable_aslr = false;         ///< A refusal (containers do) is not a failure: see ProcessResult::aslr_refused.
  std::optional<Milliseconds> deadline;    ///< From the start; then it is stopped as by cancel().
  StopGrace grace;                         ///< For the deadline and for cancel().
  std::size_t output_limit = 64UZ * 1024;  ///< Bytes kept of each stream: half the head, half the tail.
  std::vector<PassedFd> pass_fds;
  std::string stdin_text;  ///< Empty: /dev/null.
  std::string scratch;  ///< A folder that goes, with all in it, when we are killed before we could remove it. Several
                        ///< processes may have the same one. Empty: none.
};

/// It ran past its deadline and was stopped.
struct TimedOut {
  Milliseconds deadline{};
  bool operator==(const TimedOut&) const = default;
};
/// cancel() stopped it.
struct Cancelled {
  bool operator==(const Cancelled&) const = default;
};
/// It never ran (exec refused it), or its supervisor was killed by somebody else.
struct SpawnFailed {
  Error error;
};

using Outcome = std::variant<Exited, Signaled, TimedOut, Cancelled, SpawnFailed>;

struct ProcessResult {
  Outcome outcome;
  CapturedOutput out;
  CapturedOutput err;
  std::chrono::duration<double> wall{};
  int leftovers = 0;  ///< Descendants that were alive when it ended, and were killed.
  bool aslr_refused = false;
};

/// "exited with code 3", "timed out after 60 s", …
std::string describe(const Outcome& outcome);
bool succeeded(const ProcessResult& result);

struct Finished {
  ProcessId id{};
  ProcessResult result;
};
/// At least one byte, or the end of the stream, can be read without blocking. Level-triggered.
struct FdReadable {
  int fd = -1;
};
/// The other side is gone and nothing is left to read; the descriptor is no longer watched.
struct FdClosed {
  int fd = -1;
};
/// What runs is to stop (a signal came to tally, a client of a server wants it so); for the `count`th time since the
/// start.
struct Interrupted {
  int count = 0;
};
using Event = std::variant<Interrupted, FdReadable, FdClosed, Finished>;

enum class CancelMode { graceful, at_once };

/// A process that one of ours forked and will reap, held so that its number cannot be reused for another one. After its
/// end nothing is sent to anybody.
class ChildHandle {
 public:
  ChildHandle() = default;
  ChildHandle(const ChildHandle&) = delete;
  ChildHandle& operator=(const ChildHandle&) = delete;
  virtual ~ChildHandle() = default;

  [[nodiscard]] virtual int pid() const = 0;

  /// To itself only; false when it has ended.
  virtual bool signal(int signal) = 0;

  /// To all its descendants, also those that called setsid, and then to itself. How many got it; 0 when it has ended.
  virtual int signal_tree(int signal) = 0;

  /// Anonymous memory that it and its descendants hold beyond what they share with its parent; pages shared by forks
  /// count once. At or below `limit` the answer is an upper bound (the truth takes milliseconds per GB).
  [[nodiscard]] virtual std::uint64_t growth_bytes(std::uint64_t limit) const = 0;

  /// How long it and its living descendants were ready to run while others had the processors; 0 when it has ended.
  [[nodiscard]] virtual Milliseconds queued_time() const = 0;
};

class ProcessRunner {
 public:
  ProcessRunner() = default;
  ProcessRunner(const ProcessRunner&) = delete;
  ProcessRunner& operator=(const ProcessRunner&) = delete;
  virtual ~ProcessRunner() = default;

  /// An error means that nothing was started: no such program, no such folder, a CPU we may not use, no descriptors.
  virtual Result<ProcessId> start(ProcessRequest request) = 0;

  /// Stops a process and all its descendants; its Finished follows. Unknown and finished ids are ignored. `at_once`
  /// may follow `graceful`.
  virtual void cancel(ProcessId id, CancelMode mode = CancelMode::graceful) = 0;

  /// Kills what has lost its parent in the tree of a process: daemons that an earlier case left behind in a host. The
  /// process itself and what it still knows as its children are left alone.
  virtual void sweep(ProcessId id) = 0;

  /// The process's supervisor. Nothing once it has finished.
  [[nodiscard]] virtual std::optional<int> pid_of(ProcessId id) const = 0;

  /// Nothing when `pid` has ended, or is no child of `parent` (any more: another process has the number now).
  virtual std::unique_ptr<ChildHandle> hold(int pid, int parent) = 0;

  /// Processor time that a process and its living descendants have used; 0 once it has finished.
  [[nodiscard]] virtual Milliseconds busy_time(ProcessId id) const = 0;
  /// How long they were ready to run while others had the processors; 0 once it has finished.
  [[nodiscard]] virtual Milliseconds queued_time(ProcessId id) const = 0;

  /// The programs and libraries that a process has in memory: mapped_files.h.
  [[nodiscard]] virtual std::vector<std::string> mapped_files(int pid) const = 0;
  /// What its threads are called, besides the first: thread_names.h.
  [[nodiscard]] virtual std::vector<std::string> thread_names(int pid) const = 0;

  /// Reports when `fd` can be read or is closed. The descriptor stays the caller's: unwatch it before closing it.
  virtual void watch(int fd) = 0;
  virtual void unwatch(int fd) = 0;

  /// What time it is for deadlines; virtual time in the fake.
  [[nodiscard]] virtual Clock::time_point now() const = 0;

  /// How many interruptions there have been so far, whether or not their events were waited for.
  [[nodiscard]] virtual int interruptions() const = 0;

  /// Blocks until something happens or `deadline` passes (nothing: then returns none). Returns none at once when
  /// there is no process, no descriptor and no deadline to wait for. In one answer interruptions come first, then
  /// descriptors by number, then processes by id; what a process wrote to a watched descriptor is always reported no
  /// later than its end.
  std::vector<Event> wait(std::optional<Clock::time_point> deadline = std::nullopt);

  /// Gives events back: the next wait() returns them first.
  void put_back(std::vector<Event> events);

 protected:
  enum class Fds { watched, ignored };
  virtual std::vector<Event> collect(std::optional<Clock::time_point> deadline, Fds fds) = 0;

 private:
  friend std::vector<ProcessResult> run_beside(ProcessRunner& runner, std::vector<ProcessRequest> requests);

  std::vector<Event> put_back_;
};

/// Runs simple tools (`cc --version`) beside each other, all of them to their ends; the results are in the order of the
/// requests. An interruption cancels them. Events of others wait for the next wait(). A start() that failed is
/// SpawnFailed.
std::vector<ProcessResult> run_beside(ProcessRunner& runner, std::vector<ProcessRequest> requests);
/// Runs one.
ProcessResult run(ProcessRunner& runner, ProcessRequest request);

/// The executable file that `name` means: itself when it has a slash, else the first hit in `path` (a PATH value).
std::optional<std::string> find_program(const std::string& name, std::string_view path);

}  // namespace tally
