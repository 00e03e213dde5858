#include "exchange/import_cpp.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>

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
    const Run run = run_of(entry);
    // A run's own repetitions say more than a median of them.
    if (is_aggregate && has_repetitions(run)) return;
    Benchmark& one = benchmark(run, is_aggregate ? kMedian : number_at(entry, "repetition_index"));
    if (const bool* failed = entry["error_occurred"].flag(); (failed != nullptr && *failed) || entry.has("skipped")) {
      one.failure = text_at(entry, entry.has("error_message") ? "error_message" : "skip_message");
      if (one.failure.empty()) one.failure = "it was skipped";
      return;
    }
    const double seconds = seconds_at(entry, "real_time", -1);
    if (seconds < 0) {
      left_out_.push_back(one.name + ": its real_time is not a time");
      return;
    }
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

  void take(Results& results) {
    std::erase_if(benchmarks_, [](const Benchmark& one) { return one.by_child.empty() && one.failure.empty(); });
    results.benchmarks = std::move(benchmarks_);
    results.left_out = std::move(left_out_);
  }

 private:
  /// A name alone may be several benchmarks': the numbers of its family and of its instance there distinguish them.
  /// Older versions have neither.
  using Run = std::tuple<std::string, double, double>;
  static constexpr double kMedian = -1;

  struct Known {
    std::size_t place = 0;
    std::set<double> repetitions;  ///< Or kMedian.
  };

  static Run run_of(const json::Value& entry) {
    std::string name = text_at(entry, "run_name");
    if (name.empty()) name = text_at(entry, "name");
    return {std::move(name), number_at(entry, "family_index").value_or(-1),
            number_at(entry, "per_family_instance_index").value_or(-1)};
  }

  [[nodiscard]] bool has_repetitions(const Run& run) const {
    const auto known = known_.find(run);
    return known != known_.end() && !known->second.repetitions.contains(kMedian);
  }

  /// The one that this repetition is of. One that is there already is of another benchmark of the same name.
  Benchmark& benchmark(const Run& run, std::optional<double> repetition) {
    const auto [known, is_new] = known_.try_emplace(run);
    Known& its = known->second;
    if (is_new || (repetition && its.repetitions.contains(*repetition))) {
      its = {.place = benchmarks_.size(), .repetitions = {}};
      benchmarks_.push_back({.name = std::get<0>(run)});
    }
    if (repetition) its.repetitions.insert(*repetition);
    return benchmarks_[its.place];
  }

  std::vector<Benchmark> benchmarks_;
  std::vector<std::string> left_out_;
  std::map<Run, Known> known_;
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
  reader.take(results);
  return results;
}

}  // namespace tally::exchange
