/// The measured phases of a case, seen from inside the case child: commands come in, regions are cut, results go out.
///
/// Control is inverted, because the loop belongs to the snippet (in Python it cannot be called from outside without
/// losing its warmed-up frame): the loop asks next() how many iterations to run, and next() does everything else.
/// Inside next() the case child forks one child per replicate; there next() returns, the loop runs, and the following
/// next() cuts the region and ends the process. Every replicate thus starts from the same state, and replicates must
/// agree to the instruction. The last one of a phase runs in the case child itself, whose state is the same, where no
/// thread was ever about. A case child whose threads work cannot fork: it gives one replicate, and says so in `ready`.
#pragma once

#include <cstdint>
#include <optional>

#include "block_clock.h"
#include "channel.h"
#include "protocol/followed_calls.h"
#include "replicate.h"
#include "timed_blocks.h"
#include "warm_up.h"

namespace tally::host {

struct RegionHooks {
  void (*before_region)(void* context) = nullptr;  ///< Not measured; may be null.
  void (*sync)(void* context) = nullptr;           ///< Inside the end of the region; may be null.
  /// Which device the case works on, null for none: then there is no sync. Asked once a phase is warmed up; may be
  /// null.
  const char* (*device)(void* context) = nullptr;
  /// Of a case on a device, where no instructions are counted: first it gets ready, before the executions that give the
  /// device its clocks (3); then a region begins (0), ends (1), and its wait for the device is over (2). Then it
  /// returns the seconds that the device took by a clock of its own; 0: it has none. Before a region it may be
  /// requested to write over the device's cache (4): how many bytes it writes; 0: it cannot. May be null.
  double (*observe)(void* context, int what) = nullptr;
  /// Brings the allocator into a state of its own, where instructions are counted, after the first half of the
  /// statement's warm-up and again one execution later (`again`); may be null.
  void (*settle)(void* context, bool again) = nullptr;
  /// In a process with threads, which may wait for a lock that the calling one holds (an interpreter's): it holds that
  /// no longer, and does so again. They would be seen asleep; and a fork has none of them, but their claim to the lock,
  /// which it would yield to them for ever. Not measured; may be null.
  void (*let_others_run)(bool they_may) = nullptr;
  /// A region is over, in the process that has executed it; not measured. May be null.
  void (*after_region)(void* context) = nullptr;
  void* context = nullptr;
};

class Regions {
 public:
  Regions(Channel channel, std::uint32_t job, std::uint64_t warm_up);

  void set_hooks(RegionHooks hooks) { hooks_ = hooks; }
  [[nodiscard]] const RegionHooks& hooks() const { return hooks_; }

  /// Enters the phase; the loop then calls next() until it says 0. So many executions of its warm-up are `done`,
  /// or to be left out.
  void begin(protocol::Phase phase, std::uint64_t done = 0);
  std::uint64_t next() {
    finish();
    const std::uint64_t iterations = wait();
    if (iterations > 0) start();
    return iterations;
  }

  /// next() in its parts, for a loop that has something to make ready between them, neither counted nor timed: the
  /// region that ran is over; how many executions come next (here the process forks); they begin. No region begins or
  /// ends in a warm-up, but all three are called there too.
  void finish();
  std::uint64_t wait();
  void start();

  /// Not measured until it is resumed. Only in the thread that called start().
  void pause();
  void resume();
  /// The region's threads were paused for so long, in their mean.
  void leave_out(std::uint64_t paused_ns) { clock_.leave_out(paused_ns); }

  /// How many executions come before each phase is measured. Must be called before the first phase begins.
  void warm_up(std::uint64_t executions) { warm_up_.set(executions); }
  /// Every region has so many executions, whatever is requested; 0: as many as are requested. The runner learns what
  /// one execution took by which the number was chosen, in instructions; 0: it was not chosen so.
  void fix_iterations(std::uint64_t iterations, std::uint64_t one_execution = 0) {
    fixed_ = iterations;
    one_execution_ = one_execution;
  }
  /// After wait(), which returned fewer: a loop goes in steps of several.
  void raise_iterations(std::uint64_t iterations) { iterations_ = iterations; }
  /// Between wait() and start(): what the next execution needs has taken so long.
  void add_preparation(std::uint64_t took_ns) { blocks_.add_preparation(took_ns); }
  /// Threads are started between wait() and start(); what they did until start() is not counted.
  void expect_threads() { threads_come_ = true; }
  /// Which of those threads is to be collected alone in the region to come, counted from 0; nothing: all are.
  [[nodiscard]] std::optional<int> lone_thread() const {
    return lone_thread_ > 0 ? std::optional(static_cast<int>(lone_thread_ - 1)) : std::nullopt;
  }
  /// Times are what add_manual_time() adds up in a region, not what the clock says.
  void set_manual(bool manual) { clock_.set_manual(manual); }
  void add_manual_time(double seconds) { clock_.add_manual(seconds); }

  /// True when the loop ended because next() returned 0. Otherwise the statement left the loop: a return, a break, a
  /// goto.
  [[nodiscard]] bool ended_properly() const { return state_ == State::left; }

  /// Reports what an execution left. Ignored outside a counted region. An empty refusal is none.
  void report_result(std::string_view text, std::string_view refusal) const;

  /// Reports why the case cannot continue. May be called in a replicate too.
  void fail(protocol::Stage stage, std::string_view message, std::string_view detail) {
    send_failed(stage, message, detail, false);
  }
  /// The case does not want to be measured, for this reason.
  void skip(std::string_view reason) { send_failed(stage(), reason, {}, true); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] static protocol::Stage stage();
  [[nodiscard]] const Channel& channel() const { return channel_; }
  [[nodiscard]] std::uint32_t job() const { return job_; }

 private:
  enum class State { warming, probing, idle, counting, timing, left };

  void become_ready();
  std::uint64_t next_command();
  std::uint64_t prepare_count(const protocol::Message& command);
  void start_count();
  void end_count();
  void read_time_command(const protocol::Message& command);
  [[nodiscard]] bool forks() const;
  [[nodiscard]] bool runs_region_itself(bool last) const;
  bool fork_timed();
  std::uint64_t prepare_time();
  void end_block();
  void send_failed(protocol::Stage stage, std::string_view message, std::string_view detail, bool skipped);
  void report_counted(int pid, int status);
  void report_timed(int pid, int status);
  bool fork_region(bool timed);
  void wait_for_others();
  void let_others_run() const;
  Channel::Received receive();
  const char* look_for_device();
  [[nodiscard]] bool observes() const;
  void keep_sample(double elapsed_ns);
  std::uint64_t next_warm_up();
  std::uint64_t next_device_warm_up();
  void prepare_region();
  void flush_cache();
  [[nodiscard]] bool is_on_stream() const { return flushes_ && !on_stream_done_; }

  Channel channel_;
  std::uint32_t job_;
  WarmUp warm_up_;
  int threads_ = 1;
  bool in_process_ = false;  ///< A team of threads works here, which no fork would survive: no replicate is forked.
  bool on_device_ = false;
  bool threads_come_ = false;
  bool last_ = false;        ///< This process may run the last child's timed region itself.
  std::uint64_t fixed_ = 0;  ///< 0: as the runner asks.
  std::uint64_t one_execution_ = 0;
  std::uint64_t lone_thread_ = 0;                              ///< As a message has it.
  protocol::Followed followed_ = protocol::Followed::nothing;  ///< In the region to come.
  unsigned long long sleeps_before_ = 0;
  Replicate replicate_;
  bool failed_ = false;
  RegionHooks hooks_;
  void (*sync_of_device_)(void* context) = nullptr;
  protocol::Phase phase_ = protocol::Phase::baseline;
  State state_ = State::warming;
  std::uint64_t iterations_ = 0;  ///< Of the region, or the block, that is running or comes next.
  // The timed region that is running, and those of its command that are still to run.
  std::uint64_t children_ = 0;
  std::uint64_t asked_at_ns_ = 0;  ///< When the command came, or its last child was reported.
  TimedBlocks blocks_;
  BlockClock clock_;
  double device_s_ = 0;  ///< On a device: what the block took by the device's own clock.
  /// On a device: its cache is written over before each block. Each sample is then of two: for the first the host does
  /// not wait, so that the device finds its work queued, and its own clock has no launch in it; the second is the
  /// host's.
  bool flushes_ = false;
  bool on_stream_done_ = false;
  std::uint64_t device_warm_up_ = 0;  ///< Executions of the part that runs.
  std::uint64_t device_warm_up_begins_ns_ = 0;
  std::uint64_t device_part_begins_ns_ = 0;
};

}  // namespace tally::host
