#include "team.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <exception>
#include <memory>
#include <thread>

#include "callgrind.h"
#include "clock.h"
#include "threads.h"

namespace tally::detail {

namespace {

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load() == value) ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(const std::atomic<std::uint32_t>& word, int waiters) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, waiters, nullptr, nullptr, 0);
}

/// Where threads wait for each other and for the one that measures. Without a mutex: who must wait for one, and how
/// often, is the scheduler's choice, and four threads' counts differed by 70 instructions from replicate to replicate.
class Gate {
 public:
  explicit Gate(int threads) : threads_(static_cast<std::uint32_t>(threads)) {}

  /// In a thread: waits until it is opened.
  void pass() {
    arrive();
    wait_while(open_, 0);
  }
  /// In a thread that will not come.
  void stay_away() { arrive(); }
  /// In the one that measures.
  void wait_for_all() { wait_while(all_here_, 0); }
  void open() {
    open_.store(1);
    wake(open_, INT_MAX);
  }

 private:
  void arrive() {
    if (here_.fetch_add(1) + 1 < threads_) return;
    all_here_.store(1);
    wake(all_here_, 1);
  }

  std::uint32_t threads_;
  std::atomic<std::uint32_t> here_ = 0;
  std::atomic<std::uint32_t> all_here_ = 0;
  std::atomic<std::uint32_t> open_ = 0;
};

/// What one thread does. The main thread measures; a pause is of the thread's own instructions, and of its own time.
class Member : public Call {
 public:
  Member(Facts& facts, const std::vector<std::int64_t>& args, std::uint64_t iterations, int thread, int threads,
         Gate& begin, Gate& end)
      : Call(facts, args, thread, threads),
        iterations_(iterations),
        begin_(begin),
        end_(end),
        is_timed_(!host::callgrind::running()) {}

  void run(const std::function<void(Call&)>& function) {
    try {
      function(*this);
      if (!over_ && notes().skipped.empty()) failed_ = "the benchmark returned before its loop was over";
    } catch (const std::exception& error) {
      failed_ = error.what();
    } catch (...) {
      failed_ = "threw what is no std::exception";
    }
    if (paused_) resume();
    if (!began_) begin_.stay_away();
    if (!ended_) end_.stay_away();
  }

  void open(Empty empty, std::uint64_t step) override {
    if (opened_) over_ = true;
    opened_ = true;
    // By its own step: the first thread may write down that of all just now.
    iterations_ = (iterations_ + step - 1) / step * step;
    if (thread() != 0 || (facts().empty == empty && facts().step == step)) return;
    facts().empty = empty;
    facts().step = step;
  }

  std::uint64_t wait() override {
    if (began_ && !ended_) {
      ended_ = true;
      end_.pass();
      over_ = true;
    }
    if (over_ || !notes().skipped.empty()) return 0;
    done_ = iterations_;
    return done_;
  }

  void start() override {
    began_ = true;
    begin_.pass();
  }

  void pause() override {
    host::callgrind::toggle();
    paused_ = true;
    ++pauses_;
    begin_time_out();
  }
  void resume() override {
    end_time_out();
    paused_ = false;
    host::callgrind::toggle();
  }
  std::uint64_t promise() override { return iterations_; }

  [[nodiscard]] const std::string& failed() const { return failed_; }
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }
  /// How long its loop was paused, which may be so still; of a thread that has ended it.
  [[nodiscard]] std::uint64_t paused_ns() const { return paused_ns_ + (time_is_out_ ? host::now_ns() : 0); }

 protected:
  /// Between the two gates.
  [[nodiscard]] bool in_loop() const { return began_ && !ended_; }

 private:
  // Not while a pause is counted: reading a clock is a system call there.
  void begin_time_out() {
    if (!is_timed_ || !in_loop() || time_is_out_) return;
    time_is_out_ = true;
    paused_ns_ -= host::now_ns();
  }
  void end_time_out() {
    if (!time_is_out_) return;
    paused_ns_ += host::now_ns();
    time_is_out_ = false;
  }

  std::uint64_t iterations_;
  Gate& begin_;
  Gate& end_;
  std::uint64_t pauses_ = 0;
  std::uint64_t paused_ns_ = 0;  ///< While the time is out: less the moment at which that began.
  std::string failed_;
  bool began_ = false;
  bool ended_ = false;
  bool paused_ = false;
  const bool is_timed_;
  bool time_is_out_ = false;
};

/// A member of a team of which one thread is counted at a time: its loop, or nothing. What it does at the gates is left
/// out, in the empty loop as well: the last one at a gate wakes the others, and who that is is the scheduler's choice.
class LoneMember : public Member {
 public:
  LoneMember(Facts& facts, const std::vector<std::int64_t>& args, std::uint64_t iterations, int thread, int threads,
             Gate& begin, Gate& end, bool counted)
      : Member(facts, args, iterations, thread, threads, begin, end), counted_(counted) {}

  std::uint64_t wait() override {
    const bool ends = in_loop();
    if (ends) collect(false);
    const std::uint64_t iterations = Member::wait();
    // As it was born: Callgrind gives its place to a thread to come.
    if (ends) collect(true);
    return iterations;
  }

  void start() override {
    collect(false);
    Member::start();
    collect(counted_);
  }

  void pause() override {
    if (in_loop()) collect(false);
  }
  void resume() override {
    if (in_loop()) collect(counted_);
  }

 private:
  void collect(bool on) {
    if (on == collects_) return;
    collects_ = on;
    host::callgrind::toggle();
  }

  bool counted_;
  bool collects_ = true;
};

// As much of the heap for each: what a function finds there moves counts.
static_assert(sizeof(LoneMember) == sizeof(Member) && sizeof(Member) <= 264);

void add(Notes& all, const Notes& more) {
  for (const auto& [name, counter] : more.counters) {
    const auto [place, is_new] = all.counters.emplace(name, counter);
    if (!is_new) place->second.value += counter.value;
  }
  if (all.label.empty()) all.label = more.label;
  if (all.skipped.empty()) {
    all.skipped = more.skipped;
    all.is_error = more.is_error;
  }
  all.manual_s += more.manual_s;
  if (all.complexity_n == 0) all.complexity_n = more.complexity_n;
}

}  // namespace

TeamResult run_team(const std::function<void(Call&)>& function, Facts& facts, const std::vector<std::int64_t>& args,
                    std::uint64_t iterations, int threads, Meter* meter, std::optional<int> lone) {
  Gate begin(threads);
  Gate end(threads);
  std::vector<std::unique_ptr<Member>> members;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    if (lone) {
      members.push_back(std::make_unique<LoneMember>(facts, args, iterations, i, threads, begin, end, i == *lone));
    } else {
      members.push_back(std::make_unique<Member>(facts, args, iterations, i, threads, begin, end));
    }
  }
  // Not reserved for: the function would find another heap, and read other counts than those that are recorded.
  for (const auto& member : members)
    running.emplace_back([&function, &member] { member->run(function); });  // NOLINT(performance-*)
  begin.wait_for_all();
  // What comes before they sleep, and what this thread does, is none of the count's business.
  const bool counts = meter != nullptr && host::callgrind::running();
  if (counts) host::wait_until_others_sleep();
  if (meter != nullptr) meter->start();
  if (counts) host::callgrind::collect(false);
  begin.open();
  end.wait_for_all();
  if (counts) host::wait_until_others_sleep();
  TeamResult result;
  for (const auto& member : members) {
    if (result.failed.empty()) result.failed = member->failed();
    result.done = std::max(result.done, member->done());
  }
  // Not where one has failed: a replicate's process would end here, unnoticed.
  if (meter != nullptr && result.failed.empty()) {
    // All of them have left their loops, and wait: each has reported what it took.
    std::uint64_t paused_ns = 0;
    for (const auto& member : members) {
      meter->add_manual_time(member->notes().manual_s);
      paused_ns += member->paused_ns();
    }
    meter->leave_out(paused_ns / members.size());
    meter->finish();
  }
  end.open();
  for (std::thread& thread : running) thread.join();
  for (const auto& member : members) {
    if (result.failed.empty()) result.failed = member->failed();
    add(result.notes, member->notes());
  }
  result.pauses = members.front()->pauses();
  return result;
}

}  // namespace tally::detail
