#include "native.h"

#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

using ::tally::detail::Call;
using ::tally::detail::Facts;
using ::tally::detail::Notes;

double now(clockid_t clock) {
  struct timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Threads begin their loops together, and continue together when all have ended them.
class Barrier {
 public:
  explicit Barrier(int threads) : expected_(threads) {}

  void pass() {
    std::unique_lock lock(mutex_);
    const int round = round_;
    if (++waiting_ >= expected_) {
      next_round();
      return;
    }
    changed_.wait(lock, [&] { return round != round_; });
  }

  /// In a thread that will not come again.
  void leave() {
    const std::lock_guard lock(mutex_);
    --expected_;
    if (waiting_ > 0 && waiting_ >= expected_) next_round();
  }

 private:
  void next_round() {
    waiting_ = 0;
    ++round_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int expected_;
  int waiting_ = 0;
  int round_ = 0;
};

/// One thread's part.
class NativeCall : public Call {
 public:
  NativeCall(const Instance& instance, IterationCount iterations, int thread, Barrier& barrier,
             ProfilerManager* profiler = nullptr)
      : Call(own_facts_, instance.args, thread, instance.threads),
        iterations_(static_cast<std::uint64_t>(iterations)),
        cpu_clock_(instance.said().process_cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID),
        barrier_(barrier),
        profiler_(profiler) {}

  void open(::tally::detail::Empty empty, std::uint64_t step) override {
    if (opened_) over_ = true;
    opened_ = true;
    facts().empty = empty;
    facts().step = step;
  }

  std::uint64_t wait() override {
    if (in_loop_) {
      pause();
      in_loop_ = false;
      over_ = true;
      barrier_.pass();
      if (profiler_ != nullptr) profiler_->BeforeTeardownStop();
    }
    if (over_ || !notes().skipped.empty()) return 0;
    done_ = in_steps(iterations_);
    return done_;
  }

  void start() override {
    if (profiler_ != nullptr) profiler_->AfterSetupStart();
    barrier_.pass();
    in_loop_ = true;
    resume();
  }

  void pause() override {
    if (!running_) return;
    running_ = false;
    real_s_ += now(CLOCK_MONOTONIC) - real_start_;
    cpu_s_ += std::max(0.0, now(cpu_clock_) - cpu_start_);
  }

  void resume() override {
    if (running_ || !in_loop_ || !notes().skipped.empty()) return;
    running_ = true;
    real_start_ = now(CLOCK_MONOTONIC);
    cpu_start_ = now(cpu_clock_);
  }

  std::uint64_t promise() override { return iterations_; }

  void skip(const std::string& why, bool is_error) override {
    pause();
    Call::skip(why, is_error);
  }

  void run(const Instance& instance) {
    try {
      run_function(*instance.family, *this, instance.name.function_name);
    } catch (const std::exception& error) {
      skip(error.what(), true);
    } catch (...) {
      skip("threw what is no std::exception", true);
    }
    pause();
    if (!over_ && notes().skipped.empty())
      Call::skip(
          "the benchmark returned before its loop was over, and was not skipped by SkipWithError() or "
          "SkipWithMessage()",
          true);
    barrier_.leave();
  }

  [[nodiscard]] double real_s() const { return real_s_; }
  [[nodiscard]] double cpu_s() const { return cpu_s_; }

 private:
  Facts own_facts_;
  std::uint64_t iterations_;
  clockid_t cpu_clock_;
  Barrier& barrier_;
  ProfilerManager* profiler_;
  bool in_loop_ = false;
  bool running_ = false;
  double real_start_ = 0;
  double cpu_start_ = 0;
  double real_s_ = 0;
  double cpu_s_ = 0;
};

void add(Timed& all, NativeCall& call) {
  all.iterations += static_cast<IterationCount>(call.done());
  all.cpu_s += call.cpu_s();
  all.real_s += call.real_s();
  const Notes& more = call.notes();
  for (const auto& [name, counter] : more.counters) {
    const auto [place, is_new] = all.notes.counters.emplace(name, counter);
    if (!is_new) place->second.value += counter.value;
  }
  if (!more.label.empty()) all.notes.label = more.label;
  if (all.notes.skipped.empty()) {
    all.notes.skipped = more.skipped;
    all.notes.is_error = more.is_error;
  }
  all.notes.manual_s += more.manual_s;
  all.notes.complexity_n += more.complexity_n;
}

}  // namespace

Timed run_timed(const Instance& instance, IterationCount iterations) {
  Barrier barrier(instance.threads);
  std::vector<std::unique_ptr<NativeCall>> calls;
  calls.reserve(static_cast<std::size_t>(instance.threads));
  for (int i = 0; i < instance.threads; ++i)
    calls.push_back(std::make_unique<NativeCall>(instance, iterations, i, barrier));
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < calls.size(); ++i)
    threads.emplace_back([&instance, &call = *calls[i]] { call.run(instance); });
  calls[0]->run(instance);
  for (std::thread& thread : threads) thread.join();
  Timed timed;
  for (const auto& call : calls) add(timed, *call);
  return timed;
}

void run_alone(const Instance& instance, IterationCount iterations, ProfilerManager* profiler) {
  Barrier barrier(1);
  NativeCall(instance, iterations, 0, barrier, profiler).run(instance);
}

}  // namespace internal

TALLYMARK_FACADE_END
