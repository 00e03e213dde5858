/// <tallymark/bench_c.h>, over the calls that all benchmarks have: a tally_state is one.
#define TALLYMARK_C_LIBRARY
#include "tallymark/bench_c.h"

#include <string>
#include <utility>

#include "call.h"
#include "registry.h"

namespace tally {
int bench_main(int argc, char** argv);
}

namespace {

using tally::detail::Call;
using tally::detail::Counter;

Call* call_of(tally_state* state) { return reinterpret_cast<Call*>(state); }
const Call* call_of(const tally_state* state) { return reinterpret_cast<const Call*>(state); }

tally::embedded::Benchmark described(const tally_options& options) {
  tally::embedded::Benchmark benchmark;
  for (const tally_axis& axis : options.args) {
    if (axis.values == nullptr) break;
    const std::string name = axis.name != nullptr ? axis.name : "arg" + std::to_string(benchmark.axes.size());
    benchmark.axes.push_back({name, {}});
    for (std::size_t i = 0; i < axis.count; ++i) benchmark.axes.back().values.push_back({axis.values[i]});
  }
  if (options.threads[0] != 0) benchmark.threads.clear();
  for (const int threads : options.threads) {
    if (threads == 0) break;
    benchmark.threads.push_back(threads);
  }
  benchmark.iterations = options.iterations;
  benchmark.manual_time = options.manual_time != 0;
  return benchmark;
}

}  // namespace

extern "C" {

void tally_add_benchmark(const char* name, tally_function function, const tally_options* options) {
  tally::embedded::Benchmark benchmark = described(options != nullptr ? *options : tally_options{});
  benchmark.name = name;
  benchmark.function = [function](Call& call) { function(reinterpret_cast<tally_state*>(&call)); };
  tally::embedded::add(std::move(benchmark));
}

int tally_bench_main(int argc, char** argv) { return tally::bench_main(argc, argv); }

unsigned long long tally_open_(tally_state* state, void (*empty)(tally_state*, unsigned)) {
  tally::detail::open(call_of(state), reinterpret_cast<tally::detail::Empty>(empty), 1);
  return 0;
}
unsigned long long tally_next_(tally_state* state) { return tally::detail::next(call_of(state)); }
void tally_pause(tally_state* state) { call_of(state)->pause(); }
void tally_resume(tally_state* state) { call_of(state)->resume(); }

/// No exception goes through C, which may have been compiled without their tables.
long long tally_arg(const tally_state* state, std::size_t place) {
  const Call* const call = call_of(state);
  if (place < call->args().size()) return call->args()[place];
  const_cast<Call*>(call)->skip("tally_arg(state, " + std::to_string(place) + "): the benchmark has " +
                                    std::to_string(call->args().size()) + " arguments",
                                true);
  return 0;
}

void tally_set_time(tally_state* state, double seconds) { call_of(state)->add_manual_time(seconds); }
void tally_counter(tally_state* state, const char* name, double value, tally_per per) {
  // As of tally::State::counter().
  const unsigned flags = per == TALLY_PER_SECOND ? Counter::kRate | Counter::kForEachIteration : 0;
  call_of(state)->notes().counters[name] = {value, flags};
}
void tally_skip(tally_state* state, const char* reason) { call_of(state)->skip(reason, false); }
void tally_fail(tally_state* state, const char* reason) { call_of(state)->skip(reason, true); }
int tally_thread(const tally_state* state) { return call_of(state)->thread(); }
int tally_threads(const tally_state* state) { return call_of(state)->threads(); }
unsigned long long tally_executions(const tally_state* state) { return call_of(state)->done(); }
}
