#include "team.h"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "callgrind.h"

namespace tally::detail {

namespace {

/// Where threads wait for each other and for the one that measures.
class Gate {
 public:
  explicit Gate(int threads) : threads_(threads) {}

  /// In a thread: waits until it is opened.
  void pass() {
    std::unique_lock lock(mutex_);
    arrive();
    opened_.wait(lock, [this] { return open_; });
  }
  /// In a thread that will not come.
  void stay_away() {
    const std::lock_guard lock(mutex_);
    arrive();
  }
  /// In the one that measures.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    all_here_.wait(lock, [this] { return here_ == threads_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  void arrive() {
    if (++here_ == threads_) all_here_.notify_one();
  }

  int threads_;
  int here_ = 0;
  bool open_ = false;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::condition_variable opened_;
};

/// What one thread does. The main thread measures; a pause is of the thread's own instructions.
class Member : public Call {
 public:
  Member(Facts& facts, const std::vector<std::int64_t>& args, std::uint64_t iterations, int thread, int threads,
         Gate& begin, Gate& end)
      : Call(facts, args, thread, threads), iterations_(iterations), begin_(begin), end_(end) {}

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
    if (thread() != 0) return;
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
    done_ = in_steps(iterations_);
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
  }
  void resume() override {
    paused_ = false;
    host::callgrind::toggle();
  }
  std::uint64_t promise() override { return iterations_; }

  [[nodiscard]] const std::string& failed() const { return failed_; }
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }

 private:
  std::uint64_t iterations_;
  Gate& begin_;
  Gate& end_;
  bool began_ = false;
  bool ended_ = false;
  bool paused_ = false;
  std::uint64_t pauses_ = 0;
  std::string failed_;
};

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
                    std::uint64_t iterations, int threads, Meter* meter) {
  Gate begin(threads);
  Gate end(threads);
  std::vector<std::unique_ptr<Member>> members;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    members.push_back(std::make_unique<Member>(facts, args, iterations, i, threads, begin, end));
  for (const auto& member : members) running.emplace_back([&function, &member] { member->run(function); });
  begin.wait_for_all();
  if (meter != nullptr) meter->start();
  begin.open();
  end.wait_for_all();
  TeamResult result;
  for (const auto& member : members) {
    if (result.failed.empty()) result.failed = member->failed();
    result.done = std::max(result.done, member->done());
  }
  // Not where one has failed: a replicate's process would end here, and nobody would hear of it.
  if (meter != nullptr && result.failed.empty()) meter->finish();
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
