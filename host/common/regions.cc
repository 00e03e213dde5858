#include "regions.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "allocations.h"
#include "callgrind.h"
#include "fresh_heap.h"
#include "populated_pages.h"
#include "shared_page.h"
#include "threads.h"

namespace tally::host {

using protocol::Field;
using protocol::Followed;
using protocol::Message;
using protocol::MessageType;
using protocol::Phase;
using protocol::Stage;

namespace {

constexpr std::uint64_t kProbes = 10;                   // executions that show whether a statement wakes other threads
constexpr std::uint64_t kDeviceWarmUp = 200'000'000;    // ns
constexpr std::uint64_t kDeviceWarmUpPart = 5'000'000;  // ns, at the least, between two looks at the clock

std::uint32_t page_faults() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint32_t>(used.ru_minflt);
}

/// As long as it lives, other threads have what the calling one holds.
class OthersRun {
 public:
  explicit OthersRun(const RegionHooks& hooks) : let_(hooks.let_others_run) {
    if (let_ != nullptr) let_(true);
  }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;
  ~OthersRun() {
    if (let_ != nullptr) let_(false);
  }

 private:
  void (*let_)(bool they_may);
};

}  // namespace

Regions::Regions(Channel channel, std::uint32_t job, std::uint64_t warm_up)
    : channel_(channel), job_(job), warm_up_(warm_up) {
  enter_stage(Stage::setup);
}

Stage Regions::stage() { return current_stage(); }

void Regions::begin(Phase phase, std::uint64_t done) {
  phase_ = phase;
  // Callgrind counts calls whether it collects or not, and a dump takes back only those that have cost something. So
  // everything before a region is collected, and taken back when all is ready.
  callgrind::collect(true);
  warm_up_.begin(done);
  enter_stage(Stage::setup);
  state_ = State::warming;
}

void Regions::finish() {
  if (state_ == State::counting) end_count();
  if (state_ == State::timing) end_block();
}

std::uint64_t Regions::wait() {
  switch (state_) {
    case State::warming:
      if (const std::uint64_t iterations = next_warm_up(); iterations > 0) return iterations;
      threads_ = count_threads();
      if (threads_ > 1 && warm_up_.executions() > 0) {
        wait_for_others();
        sleeps_before_ = sleeps_of_others();
        if (!callgrind::running()) note_sleeps();
        state_ = State::probing;
        return std::min(warm_up_.executions(), kProbes);
      }
      if (const std::uint64_t iterations = next_device_warm_up(); iterations > 0) return iterations;
      become_ready();
      break;
    case State::probing:
      if (const std::uint64_t iterations = next_device_warm_up(); iterations > 0) return iterations;
      become_ready();
      break;
    case State::timing:
      prepare_region();
      return iterations_;
    case State::counting:
    case State::idle:
    case State::left:
      break;
  }
  return next_command();
}

void Regions::start() {
  if (state_ == State::counting) start_count();
  if (state_ == State::timing) {
    clock_.make_ready();
    if (observes()) hooks_.observe(hooks_.context, 0);
    clock_.start();
  }
}

void Regions::pause() {
  if (state_ == State::counting) {
    callgrind::collect(false);
    ++shared_page().pauses;
  }
  if (state_ == State::timing) clock_.pause();
}

void Regions::resume() {
  if (state_ == State::timing) clock_.resume();
  if (state_ == State::counting) callgrind::collect(true);
}

/// All is set up and warmed up.
void Regions::become_ready() {
  learn_written_pages();
  // A team of threads does not survive a fork: its region would wait for ever. Threads that the statement never wakes
  // (PyTorch makes a pool when the number of threads is set, and uses none for small tensors) are no hindrance.
  if (threads_ > 1) {
    wait_for_others();
    const bool work = state_ == State::probing && sleeps_of_others() != sleeps_before_;
    in_process_ = in_process_ || warm_up_.executions() == 0 || work;
    // Valgrind runs one thread at a time, wherever it is.
    if (work && !callgrind::running()) bind_working_threads();
  }
  const char* const device = look_for_device();
  enter_stage(Stage::region);
  state_ = State::idle;
  auto ready = channel_.compose(MessageType::ready, job_);
  // What was done so far, by all threads and by signal handlers: once here rather than in every replicate.
  callgrind::collect(false);
  callgrind::discard();
  ready.number(Field::phase, static_cast<std::uint64_t>(phase_))
      .number(Field::threads, static_cast<std::uint64_t>(threads_))
      .number(Field::in_process, in_process_ ? 1 : 0);
  if (device != nullptr) ready.text(Field::device, device);
  if (other_allocator() != nullptr) ready.text(Field::allocator, other_allocator());
  channel_.send(ready);
}

void Regions::wait_for_others() {
  const OthersRun meanwhile(hooks_);
  wait_until_others_sleep();
}

void Regions::let_others_run() const { const OthersRun meanwhile(hooks_); }

Channel::Received Regions::receive() {
  if (threads_ <= 1) return channel_.receive();
  const OthersRun meanwhile(hooks_);
  return channel_.receive();
}

/// Iterations of the warm-up's next part; 0 when it is over.
std::uint64_t Regions::next_warm_up() {
  if (warm_up_.executions() == 0) return 0;
  enter_stage(Stage::warm_up);
  const bool settles = phase_ == Phase::statement && hooks_.settle != nullptr && callgrind::running();
  const WarmUp::Part part = warm_up_.next(settles);
  if (part.settles) hooks_.settle(hooks_.context, part.again);
  return part.executions;
}

/// Executions that come before regions natively, until the device has its clocks: an idle one has low ones, and a power
/// limit lowers them only after a while of work. 0 when it has them, or there is no device. What watches its regions
/// gets ready before: a profiler's start takes long enough for the device to idle again.
std::uint64_t Regions::next_device_warm_up() {
  if (phase_ != Phase::statement || warm_up_.executions() == 0 || hooks_.device == nullptr || callgrind::running())
    return 0;
  void (*const sync)(void*) = sync_of_device_ != nullptr ? sync_of_device_ : hooks_.sync;
  if (device_warm_up_ == 0) {
    if (hooks_.device(hooks_.context) == nullptr) return 0;
    if (hooks_.observe != nullptr) hooks_.observe(hooks_.context, 3);
    if (sync != nullptr) sync(hooks_.context);
    device_part_begins_ns_ = device_warm_up_begins_ns_ = now_ns();
    return device_warm_up_ = 1;
  }
  if (sync != nullptr) sync(hooks_.context);
  const std::uint64_t now = now_ns();
  if (now - device_warm_up_begins_ns_ >= kDeviceWarmUp) return 0;
  if (now - device_part_begins_ns_ < kDeviceWarmUpPart) device_warm_up_ *= 2;
  device_part_begins_ns_ = now;
  return device_warm_up_;
}

/// A device's context does not survive a fork: its case runs its regions itself. Decided here, so that a region of a
/// case on no device has no instruction more than one of a toolchain that knows of none.
const char* Regions::look_for_device() {
  if (hooks_.device == nullptr) return nullptr;
  const char* const device = hooks_.device(hooks_.context);
  if (sync_of_device_ == nullptr) sync_of_device_ = hooks_.sync;
  // An empty loop gives a device nothing to do: with a wait in each of its blocks, it took as long as that.
  on_device_ = device != nullptr && phase_ == Phase::statement;
  hooks_.sync = on_device_ ? sync_of_device_ : nullptr;
  in_process_ = in_process_ || device != nullptr;
  return device;
}

bool Regions::observes() const { return on_device_ && hooks_.observe != nullptr && !callgrind::running(); }

/// What comes before a region and is not measured. A device has done by then what it was given before.
void Regions::prepare_region() {
  if (hooks_.before_region != nullptr) {
    const Unwatched toolchains_text;
    hooks_.before_region(hooks_.context);
  }
  const bool flushes = flushes_ && state_ == State::timing;
  if (flushes) flush_cache();
  if (flushes && is_on_stream()) return;
  if (on_device_ && hooks_.sync != nullptr) hooks_.sync(hooks_.context);
}

void Regions::flush_cache() {
  if (observes() && hooks_.observe(hooks_.context, 4) > 0) return;
  fail(Stage::region, "its toolchain cannot write over the device's cache in this language", {});
  ::_exit(1);
}

std::uint64_t Regions::next_command() {
  state_ = State::idle;
  for (;;) {
    if (fork_timed()) return prepare_time();
    const Channel::Received received = receive();
    if (received.lost) note_cut_off();
    if (!received.open) ::_exit(0);  // the runner has lost interest
    switch (received.message.type()) {
      case MessageType::count:
        lone_thread_ = threads_come_ ? received.message.number(Field::thread) : 0;
        followed_ = static_cast<Followed>(received.message.number(Field::followed));
        if (runs_region_itself(received.message.number(Field::last) != 0) || fork_region(false)) {
          return prepare_count(received.message);
        }
        break;
      case MessageType::time:
        read_time_command(received.message);
        break;
      case MessageType::advance:
        state_ = State::left;
        return 0;
      default:
        fail(Stage::host, "the runner sent a message that a case does not know", {});
        ::_exit(1);
    }
  }
}

/// An empty loop changes nothing in the state that replicates start from: it needs no process of its own. Where it
/// comes once for each thread, the statement is to find what it finds after one. A process that follows something
/// does so to its end, and the statement is not to be warmed up in it.
bool Regions::forks() const {
  return !in_process_ && (phase_ != Phase::baseline || lone_thread_ > 0 || followed_ != Followed::nothing);
}

/// Whether this process runs the region itself. The last one may as well have the state that forks would start from.
bool Regions::runs_region_itself(bool last) const { return !forks() || (last && alone_since_fork()); }

/// The next child of a time command; true in the process that is to run it.
bool Regions::fork_timed() {
  while (children_ > 0) {
    --children_;
    if (runs_region_itself(last_ && children_ == 0) || fork_region(true)) return true;
    // What the first one found out, the others repeat.
    iterations_ = shared_page().iterations;
    blocks_.keep_number();
  }
  return false;
}

bool Regions::fork_region(bool timed) {
  // A time command forks several in a row. Whoever has waited for the lock meanwhile has it first.
  if (threads_ > 1) let_others_run();
  const Replicate::Forked replicate = replicate_.fork();
  if (replicate.here) return true;
  if (shared_page().failed != 0) ::_exit(1);  // it has reported why itself
  if (replicate.problem != nullptr) {
    fail(Stage::region, replicate.problem, {});
    ::_exit(1);
  }
  if (timed) {
    report_timed(replicate.pid, replicate.status);
  } else {
    report_counted(replicate.pid, replicate.status);
  }
  if (replicate.status != 0) ::_exit(1);
  return false;
}

std::uint64_t Regions::prepare_count(const Message& command) {
  iterations_ = fixed_ > 0 ? fixed_ : command.number(Field::iterations, 1);
  state_ = State::counting;
  if (followed_ != Followed::nothing) followed_ = callgrind::follow(followed_);
  if (in_process_ && threads_ > 1) wait_for_others();
  // Left-overs of setup and warm-up make malloc_consolidate strike one replicate in five, at ≈ 130,000 instructions.
  malloc_trim(0);
  prepare_region();
  return iterations_;
}

void Regions::start_count() {
  shared_page().pauses = 0;
  if (observes()) hooks_.observe(hooks_.context, 0);
  // A native count is of allocations: what Valgrind counts must not be slowed and changed by wrappers.
  if (!callgrind::running()) allocations::install();
  allocations::start();
  callgrind::collect(true);
  // What other threads have done since the process was ready. Where there are none, all counters are zero.
  if (in_process_ || threads_ > 1 || threads_come_) callgrind::discard();
}

void Regions::end_count() {
  // What a process does while it waits for a device is another number each time, and nothing of what it has to do.
  if (hooks_.sync != nullptr && !on_device_) hooks_.sync(hooks_.context);
  shared_page().dump = callgrind::dump();
  callgrind::collect(false);
  const allocations::Totals totals = allocations::stop();
  if (observes()) hooks_.observe(hooks_.context, 1);
  if (hooks_.sync != nullptr && on_device_) hooks_.sync(hooks_.context);
  if (observes()) hooks_.observe(hooks_.context, 2);
  if (hooks_.after_region != nullptr) hooks_.after_region(hooks_.context);
  shared_page().iterations = iterations_;
  shared_page().allocations = totals.count;
  shared_page().allocated_bytes = totals.bytes;
  if (replicate_.here()) replicate_.leave();
  report_counted(::getpid(), 0);
  state_ = State::idle;
}

void Regions::report_counted(int pid, int status) {
  auto counted = channel_.compose(MessageType::counted, job_);
  counted.number(Field::pid, static_cast<std::uint64_t>(pid))
      .number(Field::status, static_cast<std::uint64_t>(status))
      .number(Field::iterations, shared_page().iterations)
      .number(Field::dump, shared_page().dump)
      .number(Field::allocation_count, shared_page().allocations)
      .number(Field::allocation_bytes, shared_page().allocated_bytes);
  if (shared_page().pauses != 0) counted.number(Field::pauses, shared_page().pauses);
  if (lone_thread_ > 0) counted.number(Field::thread, lone_thread_);
  if (one_execution_ > 0) counted.number(Field::one_execution, one_execution_);
  if (followed_ != Followed::nothing) counted.number(Field::followed, static_cast<std::uint64_t>(followed_));
  add_watched(counted);
  channel_.send(counted);
}

void Regions::read_time_command(const Message& command) {
  children_ = command.number(Field::children, 1);
  last_ = command.number(Field::last) != 0;
  iterations_ = blocks_.request(command, fixed_);
  flushes_ = command.number(Field::flushes) != 0;
  asked_at_ns_ = now_ns();
}

std::uint64_t Regions::prepare_time() {
  blocks_.begin_region();
  shared_page().sample_count = 0;
  state_ = State::timing;
  on_stream_done_ = false;
  prepare_region();
  return iterations_;
}

/// Ends a block. It was the last one of this region where the state is idle afterwards.
void Regions::end_block() {
  if (on_device_) clock_.launched();
  if (observes()) hooks_.observe(hooks_.context, 1);
  if (hooks_.sync != nullptr) hooks_.sync(hooks_.context);
  const std::uint64_t lasted = clock_.lasted_ns();
  const double elapsed = clock_.elapsed_ns(lasted);
  const double device_s = observes() ? hooks_.observe(hooks_.context, 2) : 0;
  if (hooks_.after_region != nullptr) hooks_.after_region(hooks_.context);
  const bool is_for_device = is_on_stream();
  if (is_for_device || !flushes_) device_s_ = device_s;
  on_stream_done_ = is_for_device;
  if (is_for_device) return;
  if (!blocks_.is_sample(elapsed, lasted, iterations_, page_faults)) return;
  keep_sample(elapsed);
  SharedPage& page = shared_page();
  const std::uint32_t most = on_device_ ? SharedPage::kMaxDeviceSamples : SharedPage::kMaxSamples;
  if (page.sample_count < most && blocks_.wants_more(page.sample_count)) return;
  page.iterations = iterations_;
  if (replicate_.here()) replicate_.leave();
  report_timed(::getpid(), 0);
  state_ = State::idle;
}

void Regions::keep_sample(double elapsed_ns) {
  SharedPage& page = shared_page();
  const std::uint32_t at = page.sample_count++;
  page.samples[at] = elapsed_ns * 1e-9;
  if (!on_device_) return;
  page.launches()[at] = clock_.launch_ns() * 1e-9;
  page.on_device()[at] = device_s_;
}

void Regions::report_timed(int pid, int status) {
  SharedPage& page = shared_page();
  const auto bytes_of = [&page](const double* samples) {
    return std::string_view(reinterpret_cast<const char*>(samples), page.sample_count * sizeof(double));
  };
  const std::uint64_t now = now_ns();
  const std::uint64_t spent = now - std::exchange(asked_at_ns_, now);
  auto timed = channel_.compose(MessageType::timed, job_);
  timed.number(Field::pid, static_cast<std::uint64_t>(pid))
      .number(Field::status, static_cast<std::uint64_t>(status))
      .number(Field::iterations, page.iterations)
      .number(Field::spent_ns, spent)
      .text(Field::samples, bytes_of(page.samples));
  if (on_device_) timed.text(Field::launch_samples, bytes_of(page.launches()));
  if (observes()) timed.text(Field::device_samples, bytes_of(page.on_device()));
  if (clock_.is_manual()) timed.number(Field::manual, 1);
  channel_.send(timed);
}

void Regions::report_result(std::string_view text, std::string_view refusal) const {
  if (state_ != State::counting) return;
  auto result = channel_.compose(MessageType::result, job_);
  result.text(Field::text, text.substr(0, std::size_t{64} * 1024));
  if (!refusal.empty()) result.text(Field::refusal, refusal.substr(0, 4096));
  channel_.send(result);
}

void Regions::send_failed(Stage stage, std::string_view message, std::string_view detail, bool skipped) {
  if (failed_) return;
  failed_ = true;
  shared_page().failed = 1;
  auto failure = channel_.compose(MessageType::failed, job_);
  failure.number(Field::stage, static_cast<std::uint64_t>(stage))
      .text(Field::message, message.substr(0, 4096))
      .text(Field::detail, detail.substr(0, std::size_t{256} * 1024));
  if (skipped) failure.number(Field::skipped, 1);
  add_watched(failure);
  channel_.send(failure);
}

}  // namespace tally::host
