#include "alone.h"

#include <utility>

#include "families.h"
#include "registry.h"

namespace tally::alone {

namespace {

namespace facade = ::benchmark;

/// A benchmark of the registry as a family.
class Family : public facade::Benchmark {
 public:
  explicit Family(const embedded::Benchmark& source) : Benchmark(source.name), source_(source) {
    std::vector<std::string> names;
    std::vector<std::vector<std::int64_t>> values;
    for (const embedded::Axis& axis : source.axes) {
      names.push_back(axis.name);
      values.emplace_back();
      for (const std::vector<std::int64_t>& value : axis.values) values.back().push_back(value.front());
    }
    if (!values.empty()) ArgNames(names)->ArgsProduct(values);
    if (source.threads != std::vector{1}) {
      for (const int threads : source.threads) Threads(threads);
    }
    if (source.iterations > 0) Iterations(static_cast<facade::IterationCount>(source.iterations));
    if (source.manual_time) UseManualTime();
  }

  void Run(facade::State& state) override { source_.function(*state.call()); }

 private:
  const embedded::Benchmark& source_;
};

}  // namespace

int run(int argc, char** argv) {
  for (const embedded::Benchmark& one : embedded::registry())
    facade::internal::RegisterBenchmarkInternal(std::make_unique<Family>(one));
  facade::Initialize(&argc, argv);
  if (facade::ReportUnrecognizedArguments(argc, argv)) return 2;
  facade::RunSpecifiedBenchmarks();
  facade::Shutdown();
  return 0;
}

}  // namespace tally::alone
