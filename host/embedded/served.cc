/// A benchmark program as the host of its own cases: the same fork server, regions and rehearsal as tally-host-cpp,
/// with a registered function in place of a compiled snippet.
#include "served.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "callgrind.h"
#include "decimal_point.h"
#include "entropy.h"
#include "fork_server.h"
#include "fresh_heap.h"
#include "how_often.h"
#include "parent_death.h"
#include "pinned_stack.h"
#include "protocol/descriptors.h"
#include "regions.h"
#include "registry.h"
#include "rehearsal.h"
#include "sent_notes.h"
#include "shared_page.h"
#include "team.h"
#include "whole_call.h"

namespace tally::embedded {

using detail::Call;
using detail::CountedCall;
using detail::Counter;
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

constexpr const char* kNotCounted =
    "\n(Valgrind shows a processor without AVX-512, and a benchmark that the program registers for one that has it can "
    "only be timed: --wall-only. Or the program was built anew meanwhile)";

class RegionMeter : public Meter {
 public:
  explicit RegionMeter(Regions& regions) : regions_(regions) {}
  void start() override { regions_.start(); }
  void finish() override { regions_.finish(); }
  void pause() override { regions_.pause(); }
  void resume() override { regions_.resume(); }
  void add_manual_time(double seconds) override { regions_.add_manual_time(seconds); }
  void leave_out(std::uint64_t paused_ns) override { regions_.leave_out(paused_ns); }
  void executed(std::uint64_t iterations) override { regions_.raise_iterations(iterations); }

 private:
  Regions& regions_;
};

void (*g_prepare_notes)() = nullptr;  ///< Of note_apart().

bool read_whole(int from, void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t count = ::read(from, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

SentNotes g_noted;  ///< Of this case, by a call in a process of its own.
bool g_are_noted = false;

/// Runs a benchmark as a case.
class Conductor {
 public:
  Conductor(const Benchmark& benchmark, std::vector<std::int64_t> args, int threads, Regions& regions,
            Frequency frequency)
      : benchmark_(benchmark), args_(std::move(args)), threads_(threads), regions_(regions), frequency_(frequency) {}

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
    WholeCall call(facts_, args_, regions_, frequency_, benchmark_.manual_time);
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
      note_apart(benchmark_.iterations);
    } else if (benchmark_.empty_loop != nullptr && host::callgrind::running()) {
      return run_calls_apart();
    } else if (facts_.empty == nullptr && !warm_up_once()) {
      return;
    } else {
      note_apart(frequency_.warm_up);
    }
    if (threads_ > 1) regions_.expect_threads();
    const Notes reported = notes_;
    const std::uint64_t done = done_;
    for (const unsigned pauses : empty_loops(facts_, threads_)) {
      if (!run_phase(Phase::baseline, [this, pauses](Call& call) { facts_.empty(&call, pauses); })) return;
    }
    // What the function has reported: where all of its regions are of forks, nothing is added here.
    notes_ = reported;
    done_ = done;
    if (!run_phase(Phase::statement, benchmark_.function)) return;
    report(notes_, done_);
  }

  /// A call of its own, for what is done once in a program.
  bool warm_up_once() {
    host::callgrind::collect(true);
    const std::uint64_t before = counted_so_far();
    if (!call_once(benchmark_.function, frequency_.warm_up, nullptr)) return false;
    choose_executions(regions_, frequency_, (counted_so_far() - before) / std::max<std::uint64_t>(done_, 1));
    return true;
  }

  /// Each call is the first one of its process, as it would be in the program: what a function or a fixture keeps from
  /// call to call does not grow. A call that only warms up is subtracted from the others.
  void run_calls_apart() {
    facts_.empty = benchmark_.empty_loop;
    for (const unsigned pauses : empty_loops(facts_)) {
      if (!run_phase(Phase::baseline, [this, pauses](Call& call) { facts_.empty(&call, pauses); })) return;
    }
    const std::uint64_t size = frequency_.is_chosen ? size_apart() : 0;
    const std::uint64_t warm_up = std::max<std::uint64_t>(warm_up_of(size, frequency_.warm_up), 1);
    note_apart(warm_up);
    regions_.fix_iterations(warm_up);
    if (!run_phase(Phase::lead, benchmark_.function, warm_up)) return;
    if (is_light(size)) {
      regions_.fix_iterations(0);
    } else {
      regions_.fix_iterations(warm_up + executions_of(size), size);
    }
    if (!run_phase(Phase::statement, benchmark_.function, warm_up)) return;
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

  /// False where it cannot continue, and has reported so.
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

  /// What the function reports, where its measured calls do not say it. Not inlined: a frame below the function would
  /// be larger, and where its stack lies moves counts.
  [[gnu::noinline]] void note_apart(std::uint64_t executions) {
    if (g_prepare_notes == nullptr) return;
    const auto call = [this, executions](SentNotes& found) {
      g_prepare_notes();
      CountedCall noted(facts_, args_, executions, nullptr);
      benchmark_.function(noted);
      if (!noted.over() || !noted.notes().skipped.empty()) return false;  // the case's own calls say why
      found = sent(noted.notes(), noted.done());
      return true;
    };
    g_are_noted = find_out_apart(g_noted, call);
  }

  /// What can be known of the loop only from a call.
  void look_apart() {
    const auto call = [this](Facts& found) {
      if (!call_once(benchmark_.function, benchmark_.iterations, nullptr)) return false;
      found = facts_;
      // All calls of a team that are measured are of forks: nobody else can say it.
      if (threads_ > 1) report(notes_, done_);
      return true;
    };
    if (find_out_apart(facts_, call)) return;
    regions_.fail(Stage::setup, "the benchmark ended the process before it was measured", "");
    ::_exit(1);
  }

  /// How many instructions an execution takes: what a second one adds to a call, and what a call of one takes where it
  /// is light with all that comes before its loop.
  std::uint64_t size_apart() {
    const auto call = [this](std::uint64_t& found) {
      host::callgrind::collect(true);
      std::uint64_t counted[3] = {counted_so_far(), 0, 0};
      for (int executions = 1; executions <= 2; ++executions) {
        if (!call_once(benchmark_.function, static_cast<std::uint64_t>(executions), nullptr)) return false;
        counted[executions] = counted_so_far();
        found = counted[1] - counted[0];
        if (is_light(found)) return true;
      }
      const std::uint64_t two = counted[2] - counted[1];
      found = two > found ? two - found : 0;
      return true;
    };
    std::uint64_t size = 0;
    return find_out_apart(size, call) ? size : 0;  // the case's own calls say why
  }

  /// From calls in a process of its own: this one is to have none but those that are measured. The case ends where they
  /// have reported why it cannot continue. False where that process ended without a word.
  template <typename Found, typename Calls>
  bool find_out_apart(Found& found, const Calls& calls) {
    int answer[2];
    if (::pipe(answer) != 0) {
      regions_.fail(Stage::setup, "no descriptors left for a pipe", "");
      ::_exit(1);
    }
    host::entropy::keep_over_fork();
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      host::die_with(parent);
      host::callgrind::after_fork();
      host::entropy::continue_after_fork();
      bool good = false;
      try {
        good = calls(found);
      } catch (const std::exception& error) {
        regions_.fail(Regions::stage(), error.what(), "");
      }
      // All of it, however long: the other side reads meanwhile.
      if (!good || ::write(answer[1], &found, sizeof found) != sizeof found) ::_exit(1);
      for (;;) ::pause();  // until we are killed: by itself, Valgrind would write a dump of it
    }
    ::close(answer[1]);
    const bool good = pid > 0 && read_whole(answer[0], &found, sizeof found);
    ::close(answer[0]);
    if (good) ::kill(pid, SIGKILL);
    int status = 0;
    if (pid > 0) ::waitpid(pid, &status, 0);
    if (!good && host::shared_page().failed != 0) ::_exit(1);
    return good;
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

  /// Reports what the function noted, and that it is over; values are of one execution where they are rates.
  [[gnu::noinline]] void report(const Notes& reported, std::uint64_t reported_by) {
    const Notes notes = g_are_noted ? received(g_noted) : reported;
    const std::uint64_t done = g_are_noted ? g_noted.done : reported_by;
    auto message = regions_.channel().compose(protocol::MessageType::report, regions_.job());
    const std::string between = notes.label.empty() || benchmark_.label.empty() ? "" : "; ";
    const std::string label = notes.label + between + benchmark_.label;
    if (!label.empty()) message.text(Field::text, label.substr(0, 4096));
    const auto executions = static_cast<double>(done == 0 ? 1 : done);
    for (const auto& [name, counter] : notes.counters) {
      double value = counter.value;
      if ((counter.flags & Counter::kForEachIteration) != 0) value *= executions;
      if ((counter.flags & Counter::kPerIteration) != 0) value /= executions;
      if ((counter.flags & Counter::kPerThread) != 0) value /= threads_;
      if ((counter.flags & Counter::kRate) != 0) value /= executions;
      char figures[64];
      std::snprintf(figures, sizeof figures, "%a", value);
      message.text(Field::counter, std::to_string(counter.flags) + "\t" + with_point(figures) + "\t" + name);
    }
    host::add_watched(message);
    regions_.channel().send(message);
  }

  const Benchmark& benchmark_;
  std::vector<std::int64_t> args_;
  int threads_;
  Regions& regions_;
  Frequency frequency_;
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
    if (symbol.find(kOfFurtherCall) != std::string_view::npos) {
      regions.skip(
          "the program runs it in a further call of RunSpecifiedBenchmarks(), and the first one alone is served: "
          "register it before that, or give it a program of its own");
    } else if (host::callgrind::running()) {
      regions.fail(Stage::load, "it does not register this benchmark where it is counted",
                   std::string(symbol).append(kNotCounted));
    } else {
      regions.fail(Stage::load, "the program has no such benchmark any more", symbol);
    }
    return;
  }
  const auto threads = static_cast<int>(request.number(Field::threads, 1));
  Conductor conductor(*chosen->benchmark, std::move(chosen->args), threads, regions,
                      {.warm_up = warm_up, .is_chosen = !fixed && request.number(Field::iterations) == 0});
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

void note_apart(void (*prepare)()) { g_prepare_notes = prepare; }

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

int write_list(std::optional<std::size_t> written) {
  const std::string text = list_text(written);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(protocol::kBenchmarkList, text.data() + done, text.size() - done);
    if (n <= 0) return 3;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace tally::embedded
