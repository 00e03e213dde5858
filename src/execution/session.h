/// One case measured in one way, seen from the runner: the dialogue with a case child.
///
/// Owns: the case's socket, the pipe of its output, and the samples so far. Decides what to ask next (another
/// replicate, another child's times) by measurement's pure rules. Never waits and never kills: the engine does both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "build/builder.h"
#include "execution/cpu_watch.h"
#include "execution/frame_stream.h"
#include "execution/options.h"
#include "execution/outcome.h"
#include "expansion/case.h"
#include "process/bounded_output.h"

namespace tally {

/// What the engine has to know to start one.
struct SessionPlan {
  const Case* c = nullptr;
  const Toolchain* toolchain = nullptr;
  BuiltCase built;
  Mode mode = Mode::counts;
  std::uint32_t job = 0;
  Perturbation perturbation;
  std::vector<int> cpus;
  std::size_t replicates = 1;  ///< Counted ones to ask for; more where they differ and the child can still fork.
  bool forks_all = false;      ///< None of them may be run by the case child itself.
  std::string dumps;           ///< Callgrind's output folder of the host.
  double timer_overhead_s = 0;
};

/// Whether a case's replicates do not prove its count yet.
bool wants_another_replicate(const CountSamples& counts, const Case& c, const ExecutionOptions& options);

class Session {
 public:
  Session(SessionPlan plan, const ExecutionOptions& options) : plan_(std::move(plan)), options_(&options) {}

  /// Sends the request on the host's control socket.
  Status start(const FrameStream& control);

  [[nodiscard]] int socket() const { return stream_.fd(); }
  [[nodiscard]] int output() const { return output_.get(); }

  /// Something came on the socket. An error is a fault of the host, not of the case.
  Status on_socket(bool& closed);
  /// Something came on the output pipe; false when it is closed.
  bool on_output();

  /// The child's process, once the host has forked it.
  void on_started(int pid) { pid_ = pid; }
  [[nodiscard]] std::optional<int> pid() const { return pid_; }
  /// The child was reaped, and had come to `stage`. Nothing more will come.
  void on_exited(int wait_status, protocol::Stage stage);
  /// The engine stopped it, or lost its host. `stage` is how far its process had come, where its host could tell.
  void on_stopped(Ending ending, std::string message, std::optional<protocol::Stage> stage = {});

  [[nodiscard]] bool over() const { return ending_.has_value(); }
  [[nodiscard]] Ending ending() const { return *ending_; }

  /// Counted, and of no more use: the child may be killed, which spares Callgrind a last dump of everything.
  [[nodiscard]] bool spent() const { return step_ == Step::leaving && plan_.mode == Mode::counts; }

  /// Moves what was learnt into the case's outcome. Only when over.
  void deliver(CaseOutcome& outcome);

  [[nodiscard]] const SessionPlan& plan() const { return plan_; }

 private:
  enum class Step { starting, baseline, statement, allocations, examining, leaving };

  void on_message(const protocol::Message& message);
  void on_ready(const protocol::Message& message);
  void on_counted(const protocol::Message& message);
  void on_timed(const protocol::Message& message);
  void on_failed(const protocol::Message& message);
  void on_result(const protocol::Message& message);
  void on_examined();
  [[nodiscard]] bool is_last_replicate() const;
  void ask_count(std::uint64_t iterations, bool last);
  void ask_time(std::uint64_t iterations, double budget_s, std::uint64_t children);
  void ask_next_wall_step();
  void advance();
  void send(protocol::Writer& frame);
  void read_dump(const protocol::Message& message);
  void fail(std::string stage, std::string message, std::string detail);
  [[nodiscard]] std::string stage_name(protocol::Stage stage) const;
  [[nodiscard]] std::uint64_t iterations() const;
  [[nodiscard]] std::uint64_t memory_limit() const;

  SessionPlan plan_;
  const ExecutionOptions* options_;
  FrameStream stream_;
  UniqueFd output_;
  BoundedOutput captured_{std::size_t{64} * 1024};
  std::optional<int> pid_;
  Step step_ = Step::starting;
  bool in_process_ = false;
  bool forks_differ_ = false;
  std::uint64_t last_dump_ = 0;  ///< The last of the case child's own dumps that was read.
  double measured_s_ = 0;
  std::uint64_t children_coming_ = 0;  ///< Of the last time command.
  CountSamples counts_;
  WallSamples wall_;
  std::optional<CpuWatch> watch_;  ///< While the statement is timed.
  std::optional<AllocationSample> allocations_;
  std::vector<StatementResult> results_;  ///< Of executions from the same state: they must agree.
  std::string profile_;
  std::optional<CaseFailure> failure_;
  bool crashed_ = false;
  std::optional<Ending> ending_;
};

}  // namespace tally
