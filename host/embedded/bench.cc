/// <tallymark/bench.h>, over the calls that all benchmarks have.
#include "tallymark/bench.h"

#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "alone.h"
#include "asked.h"
#include "call.h"
#include "registry.h"

namespace tally {

long long State::arg(std::size_t place) const {
  const std::vector<std::int64_t>& args = call_->args();
  if (place < args.size()) return args[place];
  throw std::out_of_range("state.arg(" + std::to_string(place) + "): the benchmark has " + std::to_string(args.size()) +
                          " arguments");
}

void State::pause() { call_->pause(); }
void State::resume() { call_->resume(); }
void State::set_time(double seconds) { call_->add_manual_time(seconds); }
void State::skip(const std::string& reason) { call_->skip(reason, false); }
int State::thread() const { return call_->thread(); }
int State::threads() const { return call_->threads(); }
unsigned long long State::executions() const { return call_->done(); }

void State::counter(const char* name, double value, Per per) {
  // In Google Benchmark's terms, of all executions, divided by the time that they took together.
  const unsigned flags = per == Per::second ? detail::Counter::kRate | detail::Counter::kForEachIteration : 0;
  call_->notes().counters[name] = {value, flags};
}

void add_benchmark(const std::string& name, Function function, const Options& options) {
  embedded::Benchmark benchmark{.name = name,
                                .function =
                                    [function = std::move(function)](detail::Call& call) {
                                      State state(&call);
                                      function(state);
                                    },
                                .axes = {},
                                .threads = options.threads,
                                .iterations = options.iterations,
                                .manual_time = options.manual_time};
  for (std::size_t i = 0; i < options.args.size(); ++i) {
    const Axis& axis = options.args[i];
    embedded::Axis added{axis.name.empty() ? "arg" + std::to_string(i) : axis.name, {}};
    for (const long long value : axis.values) added.values.push_back({value});
    benchmark.axes.push_back(std::move(added));
  }
  embedded::add(std::move(benchmark));
}

int bench_main(int argc, char** argv) {
  embedded::serve_if_asked();
  if (argc >= 2 && std::string_view(argv[argc - 1]) == "--list") {
    for (const embedded::Benchmark& one : embedded::registry()) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  return alone::run(argc, argv);
}

namespace detail {

std::vector<std::string> split_types(const char* text) {
  std::vector<std::string> types(1);
  int depth = 0;
  for (; *text != 0; ++text) {
    if (*text == ',' && depth == 0) {
      types.emplace_back();
      continue;
    }
    if (*text == '<' || *text == '(') ++depth;
    if (*text == '>' || *text == ')') --depth;
    if (*text != ' ' || !types.back().empty()) types.back() += *text;
  }
  return types;
}

}  // namespace detail
}  // namespace tally
