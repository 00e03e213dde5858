/// A benchmark program as the host of its own cases: the same fork server, regions and rehearsal as tally-host-cpp,
/// with a registered function in place of a compiled snippet.
#include "served.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "callgrind.h"
#include "entropy.h"
#include "fork_server.h"
#include "fresh_heap.h"
#include "parent_death.h"
#include "pinned_stack.h"
#include "protocol/descriptors.h"
#include "regions.h"
#include "registry.h"
#include "rehearsal.h"
#include "shared_page.h"
#include "team.h"

namespace tally::embedded {

using detail::Call;
using detail::CountedCall;
using detail::Counter;
using detail::Empty;
using detail::Facts;
using detail::Meter;
using detail::Notes;
using host::Regions;
using protocol::Field;
using protocol::Message;
using protocol::Phase;
using protocol::Stage;

namespace {

constexpr const char* kNoLoop = "the benchmark returned before its loop was over";
constexpr const char* kNoLoopDetail =
    "a function without `for (auto _ : state)` (in C: TALLY_LOOP), or one that leaves it: a break, a return";

/// How many pauses an execution has in each of the empty loops that are measured. A list without memory of its own:
/// what is allocated in a case moves what its function allocates.
struct EmptyLoops {
  unsigned pauses[2];
  unsigned number;
  [[nodiscard]] const unsigned* begin() const { return pauses; }
  [[nodiscard]] const unsigned* end() const { return pauses + number; }
};

/// The first is as the function's first execution was. The other one tells what a pause costs: later executions may
/// pause more often, or less. Neither times nor teams have that taken off.
EmptyLoops empty_loops(const Facts& facts, int threads = 1) {
  const unsigned first = facts.pauses > 0 ? 1 : 0;
  if (threads > 1 || !host::callgrind::running()) return {{facts.pauses, 0}, 1};
  return {{first, 1 - first}, 2};
}

/// A call in which all regions of both phases lie, one after the other: its loop is executed once with the function's
/// setup before it, and goes on for as long as it is told. Its first execution shows how often it pauses; then the
/// empty loop is measured, from within.
class WholeCall : public Call {
 public:
  WholeCall(Facts& facts, const std::vector<std::int64_t>& args, Regions& regions, std::uint64_t warm_up, bool manual)
      : Call(facts, args), regions_(regions), warm_up_(warm_up), manual_(manual) {}

  void open(Empty empty, std::uint64_t step) override {
    if (step_ == Step::empty) return;
    if (opened_) {
      regions_.fail(Regions::stage(), "a benchmark has one measured loop, and this one begins a second one", "");
      over_ = true;
    }
    opened_ = true;
    facts().empty = empty;
    facts().step = step;
  }

  std::uint64_t wait() override {
    if (over_ || !notes().skipped.empty()) return 0;
    switch (step_) {
      case Step::begun:
        step_ = Step::first;
        host::enter_stage(Stage::warm_up);
        done_ = in_steps(promised_ > 0 ? promised_ : 1);
        return done_;
      case Step::first:
        if (promised_ > 0) {
          over_ = true;
          return 0;
        }
        measure_empty();
        regions_.begin(Phase::statement, done_);
        regions_.set_manual(manual_);
        step_ = Step::measured;
        break;
      case Step::empty:
      case Step::measured:
        regions_.finish();
        break;
    }
    const std::uint64_t iterations = in_steps(regions_.wait());
    if (iterations > 0) regions_.raise_iterations(iterations);
    if (step_ == Step::measured) over_ = iterations == 0;
    done_ += iterations;
    return iterations;
  }

  void start() override { regions_.start(); }
  void pause() override {
    regions_.pause();
    ++pauses_;
  }
  void resume() override { regions_.resume(); }

  /// Once a function knows how many executions there are, there must be so many, and another call for each region.
  std::uint64_t promise() override {
    if (over_) return done_;
    if (promised_ > 0) return promised_;
    if (step_ == Step::empty || step_ == Step::measured) {
      regions_.fail(Regions::stage(), "the benchmark reads max_iterations in its loop, but not in its first execution",
                    "read it before the loop, or in each execution");
      return done_;
    }
    promised_ = step_ == Step::begun ? warm_up_ : done_;
    return promised_;
  }

  void add_manual_time(double seconds) override { regions_.add_manual_time(seconds); }

  /// Whether each region wants a call of its own.
  [[nodiscard]] bool promised() const { return promised_ > 0; }

 private:
  enum class Step { begun, first, empty, measured };

  void measure_empty() {
    facts().pauses = static_cast<unsigned>(pauses_ / done_);
    const std::uint64_t done = done_;
    step_ = Step::empty;
    for (const unsigned pauses : empty_loops(facts())) {
      regions_.begin(Phase::baseline);
      facts().empty(this, pauses);
    }
    done_ = done;
  }

  Regions& regions_;
  std::uint64_t warm_up_;
  bool manual_;
  Step step_ = Step::begun;
  std::uint64_t promised_ = 0;
  std::uint64_t pauses_ = 0;
};

class RegionMeter : public Meter {
 public:
  explicit RegionMeter(Regions& regions) : regions_(regions) {}
  void start() override { regions_.start(); }
  void finish() override { regions_.finish(); }
  void pause() override { regions_.pause(); }
  void resume() override { regions_.resume(); }
  void add_manual_time(double seconds) override { regions_.add_manual_time(seconds); }
  void executed(std::uint64_t iterations) override { regions_.raise_iterations(iterations); }

 private:
  Regions& regions_;
};

/// Runs a benchmark as a case.
class Conductor {
 public:
  Conductor(const Benchmark& benchmark, std::vector<std::int64_t> args, int threads, Regions& regions,
            std::uint64_t warm_up)
      : benchmark_(benchmark), args_(std::move(args)), threads_(threads), regions_(regions), warm_up_(warm_up) {}

  static void enter(void* self) { static_cast<Conductor*>(self)->run(); }

  void run() {
    try {
      if (threads_ > 1 || benchmark_.iterations > 0 || benchmark_.empty_loop != nullptr) {
        run_calls();
      } else {
        run_whole();
      }
    } catch (const std::exception& error) {
      regions_.fail(Regions::stage(), error.what(), "");
    } catch (...) {
      regions_.fail(Regions::stage(), "threw what is no std::exception", "");
    }
  }

 private:
  void run_whole() {
    WholeCall call(facts_, args_, regions_, warm_up_, benchmark_.manual_time);
    if (benchmark_.set_up) benchmark_.set_up(args_, threads_);
    benchmark_.function(call);
    if (benchmark_.tear_down) benchmark_.tear_down(args_, threads_);
    if (!is_good(call.notes(), call.over() ? "" : kNoLoop)) return;
    if (call.promised()) return run_calls();
    report(call.notes(), call.done());
  }

  /// A call for each region. What is done once in a program is done in the first, which is not measured.
  void run_calls() {
    if (benchmark_.iterations > 0) {
      regions_.fix_iterations(benchmark_.iterations);
      look_apart();
    } else if (benchmark_.empty_loop != nullptr && host::callgrind::running()) {
      return run_calls_apart();
    } else if (facts_.empty == nullptr && !call_once(benchmark_.function, warm_up_, nullptr)) {
      return;
    }
    if (threads_ > 1) regions_.expect_threads();
    const Notes told = notes_;
    const std::uint64_t done = done_;
    for (const unsigned pauses : empty_loops(facts_, threads_)) {
      if (!run_phase(Phase::baseline, [this, pauses](Call& call) { facts_.empty(&call, pauses); })) return;
    }
    // What the function has told: where all of its regions are of forks, nothing is added here.
    notes_ = told;
    done_ = done;
    if (!run_phase(Phase::statement, benchmark_.function)) return;
    report(notes_, done_);
  }

  /// Each call is the first one of its process, as it would be in the program: what a function or a fixture keeps from
  /// call to call does not grow. A call that only warms up is subtracted from the others.
  void run_calls_apart() {
    facts_.empty = benchmark_.empty_loop;
    for (const unsigned pauses : empty_loops(facts_)) {
      if (!run_phase(Phase::baseline, [this, pauses](Call& call) { facts_.empty(&call, pauses); })) return;
    }
    regions_.fix_iterations(std::max<std::uint64_t>(warm_up_, 1));
    if (!run_phase(Phase::lead, benchmark_.function, warm_up_)) return;
    regions_.fix_iterations(0);
    if (!run_phase(Phase::statement, benchmark_.function, warm_up_)) return;
    report(notes_, done_);
  }

  /// So many executions of the phase's warm-up are left out.
  bool run_phase(Phase phase, const std::function<void(Call&)>& function, std::uint64_t left_out = 0) {
    RegionMeter meter(regions_);
    regions_.set_manual(benchmark_.manual_time && phase == Phase::statement);
    regions_.begin(phase, left_out);
    while (const std::uint64_t iterations = regions_.wait()) {
      if (!call_once(function, iterations, &meter)) return false;
    }
    return true;
  }

  /// False where it cannot go on, and has said so.
  bool call_once(const std::function<void(Call&)>& function, std::uint64_t iterations, Meter* meter) {
    iterations = (iterations + facts_.step - 1) / facts_.step * facts_.step;
    if (meter != nullptr) regions_.raise_iterations(iterations);
    std::uint64_t pauses = 0;
    std::string failed;
    if (benchmark_.set_up) benchmark_.set_up(args_, threads_);
    if (threads_ > 1) {
      detail::TeamResult result = detail::run_team(function, facts_, args_, iterations, threads_, meter,
                                                   meter != nullptr ? regions_.lone_thread() : std::nullopt);
      failed = std::move(result.failed);
      notes_ = std::move(result.notes);
      done_ = result.done;
      pauses = result.pauses;
    } else {
      CountedCall call(facts_, args_, iterations, meter);
      function(call);
      if (!call.over()) failed = kNoLoop;
      notes_ = call.notes();
      done_ = call.done();
      pauses = call.pauses();
    }
    if (benchmark_.tear_down) benchmark_.tear_down(args_, threads_);
    if (meter == nullptr && done_ > 0) facts_.pauses = static_cast<unsigned>(pauses / done_);
    return is_good(notes_, failed);
  }

  /// What can be known of the loop only from a call, from one in a process of its own: this one is to have no call but
  /// those that are measured.
  void look_apart() {
    int found[2];
    if (::pipe(found) != 0) return regions_.fail(Stage::setup, "no descriptors left for a pipe", "");
    host::entropy::keep_over_fork();
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      host::die_with(parent);
      host::callgrind::after_fork();
      host::entropy::go_on_after_fork();
      bool good = false;
      try {
        good = call_once(benchmark_.function, benchmark_.iterations, nullptr);
      } catch (const std::exception& error) {
        regions_.fail(Regions::stage(), error.what(), "");
      }
      // All calls of a team that are measured are of forks: nobody else can say it.
      if (good && threads_ > 1) report(notes_, done_);
      const ssize_t written = good ? ::write(found[1], &facts_, sizeof facts_) : 0;
      if (written <= 0) ::_exit(1);
      for (;;) ::pause();  // until we are killed: by itself, Valgrind would write a dump of it
    }
    ::close(found[1]);
    const bool good = pid > 0 && ::read(found[0], &facts_, sizeof facts_) == sizeof facts_;
    ::close(found[0]);
    if (good) ::kill(pid, SIGKILL);
    int status = 0;
    if (pid > 0) ::waitpid(pid, &status, 0);
    if (!good && host::shared_page().failed == 0)
      regions_.fail(Stage::setup, "the benchmark ended the process before it was measured", "");
    if (!good) ::_exit(1);
  }

  /// `missing`: what a loop that is none or not over lacks.
  bool is_good(const Notes& notes, const std::string& missing) {
    if (regions_.failed()) return false;
    if (!notes.skipped.empty()) {
      if (notes.is_error) {
        regions_.fail(Regions::stage(), notes.skipped, "");
      } else {
        regions_.skip(notes.skipped);
      }
      return false;
    }
    if (missing.empty()) return true;
    regions_.fail(Regions::stage(), missing, missing == kNoLoop ? kNoLoopDetail : "");
    return false;
  }

  /// Tells what the function said, and that it is over; values are of one execution where they are rates.
  void report(const Notes& notes, std::uint64_t done) {
    auto message = regions_.channel().compose(protocol::MessageType::told, regions_.job());
    const std::string& label = notes.label.empty() ? benchmark_.label : notes.label;
    if (!label.empty()) message.text(Field::text, label.substr(0, 4096));
    const auto executions = static_cast<double>(done == 0 ? 1 : done);
    for (const auto& [name, counter] : notes.counters) {
      double value = counter.value;
      if ((counter.flags & Counter::kForEachIteration) != 0) value *= executions;
      if ((counter.flags & Counter::kPerIteration) != 0) value /= executions;
      if ((counter.flags & Counter::kPerThread) != 0) value /= threads_;
      if ((counter.flags & Counter::kRate) != 0) value /= executions;
      char text[512];
      std::snprintf(text, sizeof text, "%u\t%a\t%.400s", counter.flags, value, name.c_str());
      message.text(Field::counter, text);
    }
    host::add_watched(message);
    regions_.channel().send(message);
  }

  const Benchmark& benchmark_;
  std::vector<std::int64_t> args_;
  int threads_;
  Regions& regions_;
  std::uint64_t warm_up_;
  Facts facts_;
  Notes notes_;
  std::uint64_t done_ = 0;
};

struct NeverPaused {
  explicit NeverPaused(Call* /*call*/) {}
  void pause() {}
  void resume() {}
};

/// What the host rehearses, so that it does not matter which case is the first.
void do_nothing(Call& call) {
  detail::open(&call, detail::empty_rounds<NeverPaused>, 1);
  for (auto _ : detail::Rounds(&call)) static_cast<void>(_);
}

/// The case of this process, where its benchmark is still to be reached.
void (*g_seek)(std::string_view name) = nullptr;
Benchmark g_sought;
Conductor* g_sought_by = nullptr;
Regions* g_regions = nullptr;

void seek(void* /*none*/) { g_seek(g_sought.name); }

void run_case(void* /*context*/, host::Channel channel, const Message& request) {
  static const Benchmark nothing{.name = "", .function = do_nothing, .axes = {}};
  const std::string_view symbol = request.text(Field::symbol).value_or("");
  auto chosen = symbol.empty() ? Chosen{&nothing, {}} : find_case(symbol);
  if (!chosen && g_seek != nullptr) {
    g_sought.name = symbol;
    chosen = Chosen{&g_sought, {}};
  }
  const bool fixed = chosen && chosen->benchmark->iterations > 0;
  const std::uint64_t warm_up = request.number(Field::warm_up);
  Regions regions(channel, request.job(), fixed ? 0 : warm_up);
  host::enter_stage(Stage::load);
  if (!chosen) {
    regions.fail(Stage::load, "the program has no such benchmark any more", symbol);
    return;
  }
  const auto threads = static_cast<int>(request.number(Field::threads, 1));
  Conductor conductor(*chosen->benchmark, std::move(chosen->args), threads, regions, warm_up);
  host::fill_malloc();
  if (const auto padding = request.number(Field::heap_padding); padding > 0) {
    std::memset(std::malloc(padding), 1, padding);  // kept on purpose: it moves whatever setup allocates
  }
  if (host::callgrind::running()) host::align_mappings();
  host::enter_stage(Stage::setup);
  const bool is_sought = chosen->benchmark == &g_sought;
  g_regions = &regions;
  g_sought_by = &conductor;
  host::call_on_pinned_stack(is_sought ? seek : Conductor::enter, &conductor, request.number(Field::stack_padding));
}

bool rehearse(bool counted) {
  static char buffer[1024];
  protocol::Writer request(buffer, protocol::MessageType::run_case, 0);
  request.text(Field::symbol, "").number(Field::warm_up, 1);
  const auto phases = static_cast<int>(empty_loops(Facts()).number) + 1;
  return host::rehearse(run_case, nullptr, request, counted, phases);
}

}  // namespace

int serve() {
  host::entropy::prepare();
  if (!rehearse(false)) return 3;
  if (host::callgrind::running()) {
    host::callgrind::start_instrumentation();
    if (!rehearse(true)) return 3;
  }
  host::fill_malloc();
  if (host::callgrind::running()) host::align_mappings();
  return host::serve({"cpp", __VERSION__}, run_case, nullptr);
}

void seek_others(void (*seek)(std::string_view name)) { g_seek = seek; }

void measure_sought(std::function<void(Call&)> function) {
  g_sought.function = std::move(function);
  g_sought_by->run();
  ::_exit(0);
}

void fail_sought(const std::string& reason) {
  g_regions->fail(Regions::stage(), reason, "");
  ::_exit(1);
}

int write_list() {
  const std::string text = list_text();
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(protocol::kBenchmarkList, text.data() + done, text.size() - done);
    if (n <= 0) return 3;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace tally::embedded
