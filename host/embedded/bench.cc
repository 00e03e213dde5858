/// A benchmark program as the host of its own cases: the same fork server, regions and rehearsal as tally-host-cpp,
/// with a registered function in place of a compiled snippet.
#include "tallymark/bench.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "callgrind.h"
#include "fork_server.h"
#include "fresh_heap.h"
#include "pinned_stack.h"
#include "protocol/descriptors.h"
#include "regions.h"
#include "registry.h"
#include "rehearsal.h"
#include "shared_page.h"

namespace tally {

using host::Regions;
using protocol::Field;
using protocol::Message;
using protocol::Phase;
using protocol::Stage;

void State::no_such_arg(std::size_t place) const {
  throw std::out_of_range("state.arg(" + std::to_string(place) + "): the benchmark has " +
                          std::to_string(args_.size()) + " arguments");
}

bool State::enter_baseline() {
  auto* const regions = static_cast<Regions*>(regions_);
  if (entered_) {
    regions->fail(Regions::stage(), "a benchmark has one measured loop, and this one begins a second one", "");
    over_ = true;
    return false;
  }
  entered_ = true;
  regions->begin(Phase::baseline);
  return true;
}

void State::enter_statement() {
  if (!over_) static_cast<Regions*>(regions_)->begin(Phase::statement);
}

unsigned long long State::next() { return over_ ? 0 : static_cast<Regions*>(regions_)->next(); }

/// Runs a function as a case.
struct Conductor {
  Conductor(Function function, std::vector<long long> args, Regions& regions)
      : function_(function), state_(std::move(args)), regions_(regions) {
    state_.regions_ = &regions;
  }

  static void enter(void* self) { static_cast<Conductor*>(self)->run(); }

  void run() {
    try {
      function_(state_);
    } catch (const std::exception& error) {
      regions_.fail(Regions::stage(), error.what(), "");
    } catch (...) {
      regions_.fail(Regions::stage(), "threw what is no std::exception", "");
    }
    if (regions_.failed() || (state_.entered_ && regions_.ended_properly())) return;
    regions_.fail(Regions::stage(), "the benchmark returned before its loop was over",
                  "a function without `for (auto _ : state)`, or one that leaves it: a break, a return");
  }

 private:
  Function function_;
  State state_;
  Regions& regions_;
};

namespace {

/// What the host rehearses, so that it does not matter which case is the first.
void do_nothing(State& state) {
  for (auto _ : state) static_cast<void>(_);
}

void run_case(void* /*context*/, host::Channel channel, const Message& request) {
  Regions regions(channel, request.job(), request.number(Field::warm_up));
  host::enter_stage(Stage::load);
  const std::string_view symbol = request.text(Field::symbol).value_or("");
  auto chosen = embedded::find_case(symbol);
  if (!chosen && !symbol.empty()) {
    regions.fail(Stage::load, "the program has no such benchmark any more", symbol);
    return;
  }
  Conductor conductor(chosen ? chosen->benchmark->function : do_nothing,
                      chosen ? std::move(chosen->args) : std::vector<long long>(), regions);
  host::fill_malloc();
  if (const auto padding = request.number(Field::heap_padding); padding > 0) {
    std::memset(std::malloc(padding), 1, padding);  // kept on purpose: it moves whatever setup allocates
  }
  if (host::callgrind::running()) host::align_mappings();
  host::enter_stage(Stage::setup);
  host::call_on_pinned_stack(Conductor::enter, &conductor, request.number(Field::stack_padding));
}

bool rehearse(bool counted) {
  static char buffer[1024];
  protocol::Writer request(buffer, protocol::MessageType::run_case, 0);
  request.text(Field::symbol, "").number(Field::warm_up, 1);
  return host::rehearse(run_case, nullptr, request, counted);
}

int serve() {
  if (!rehearse(false)) return 3;
  if (host::callgrind::running()) {
    host::callgrind::start_instrumentation();
    if (!rehearse(true)) return 3;
  }
  host::fill_malloc();
  if (host::callgrind::running()) host::align_mappings();
  return host::serve({"cpp", __VERSION__}, run_case, nullptr);
}

int write_list() {
  const std::string text = embedded::list_text();
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(protocol::kBenchmarkList, text.data() + done, text.size() - done);
    if (n <= 0) return 3;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace

int bench_main(int argc, char** argv) {
  const std::string_view word = argc >= 2 ? argv[argc - 1] : "";
  // What static objects do at the program's end has no say in what `tally` was told.
  if (word == protocol::kServeArgument) ::_exit(serve());
  if (word == protocol::kListArgument) ::_exit(write_list());
  if (word == "--list") {
    for (const embedded::Registered& one : embedded::registry()) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  std::fprintf(stderr, "benchmarks of tallymark: --list names them; measure them with: tally run --program %s\n",
               argc > 0 ? argv[0] : "EXE");
  return 2;
}

}  // namespace tally
