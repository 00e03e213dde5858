#include "exchange/import_cpp.h"

#include <map>

#include "base/contains.h"

namespace tally::exchange {

namespace {

/// What a run's entry has besides the author's counters.
constexpr auto kOwnKeys = std::to_array<std::string_view>(
    {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
     "threads", "iterations", "real_time", "cpu_time", "time_unit", "error_occurred", "error_message", "skipped",
     "skip_message", "label", "aggregate_name", "aggregate_unit"});

double seconds_at(const json::Value& entry, std::string_view key, double otherwise) {
  const auto time = number_at(entry, key);
  const std::string unit = text_at(entry, "time_unit");
  const auto scale = seconds_of_unit(unit.empty() ? "ns" : unit);
  return time && scale ? *time * *scale : otherwise;
}

class Reader {
 public:
  void add(const json::Value& entry) {
    const std::string type = text_at(entry, "run_type");
    const bool is_aggregate = type == "aggregate";
    if (is_aggregate && text_at(entry, "aggregate_name") != "median") return;
    std::string name = text_at(entry, "run_name");
    if (name.empty()) name = text_at(entry, "name");
    // A run's own repetitions say more than a median of them.
    Benchmark& one = benchmark(name);
    if (is_aggregate && (!one.by_child.empty() || !one.failure.empty())) return;
    if (const bool* failed = entry["error_occurred"].flag(); (failed != nullptr && *failed) || entry.has("skipped")) {
      one.failure = text_at(entry, entry.has("error_message") ? "error_message" : "skip_message");
      if (one.failure.empty()) one.failure = "it was skipped";
      return;
    }
    const double seconds = seconds_at(entry, "real_time", -1);
    if (seconds < 0) return;
    // Repetitions are of one process.
    if (one.by_child.empty()) one.by_child.emplace_back();
    one.by_child.front().push_back(seconds);
    if (const auto iterations = number_at(entry, "iterations"); iterations && *iterations >= 1 && !is_aggregate)
      one.executions = static_cast<std::uint64_t>(*iterations);
    if (const auto threads = number_at(entry, "threads"); threads && *threads >= 1)
      one.threads = static_cast<int>(*threads);
    one.counters["cpu_time_s"] = seconds_at(entry, "cpu_time", 0);
    if (const json::Object* const members = entry.object()) {
      for (const auto& [key, value] : *members) {
        if (const auto number = value.number(); number && !contains(kOwnKeys, key)) one.counters[key] = *number;
      }
    }
  }

  std::vector<Benchmark> take() { return std::move(benchmarks_); }

 private:
  Benchmark& benchmark(const std::string& name) {
    const auto [at, fresh] = known_.try_emplace(name, benchmarks_.size());
    if (fresh) benchmarks_.push_back({.name = name});
    return benchmarks_[at->second];
  }

  std::vector<Benchmark> benchmarks_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

Result<Results> read_google_benchmark(std::span<const File> files) {
  const auto json = parsed(files.front());
  if (!json) return std::unexpected(json.error());
  const json::Array* const all = (*json)["benchmarks"].array();
  const json::Value& context = (*json)["context"];
  if (all == nullptr || context.object() == nullptr) {
    return not_of_format(files.front(),
                         "Google Benchmark's --benchmark_out writes: it has no \"context\" or no \"benchmarks\"");
  }
  Results results{.tool_version = text_at(context, "library_version"), .language = "cpp"};
  results.started = moment_of(text_at(context, "date"));
  results.machine.name = text_at(context, "host_name");
  results.machine.cpus = static_cast<int>(number_at(context, "num_cpus").value_or(0));
  // "mhz_per_cpu" is what the clock was at that moment: as a fact, each run would be an environment of its own.
  if (const std::string build = text_at(context, "library_build_type"); !build.empty())
    results.facts["google-benchmark.build"] = build;
  Reader reader;
  for (const json::Value& entry : *all) reader.add(entry);
  results.benchmarks = reader.take();
  std::erase_if(results.benchmarks, [](const Benchmark& one) { return one.by_child.empty() && one.failure.empty(); });
  return results;
}

}  // namespace tally::exchange
