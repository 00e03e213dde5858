#include "report/json/google_benchmark.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "json/text.h"
#include "measurement/statistics.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr double kNanoseconds = 1e9;

/// The highest that the kernel reported while cases were timed.
Value highest_mhz(const Record& record) {
  std::optional<double> highest;
  for (const CaseRecord& one : record.cases) {
    if (one.wall && one.wall->watch && one.wall->watch->frequency_mhz_high)
      highest = std::max(highest.value_or(0), *one.wall->watch->frequency_mhz_high);
  }
  return highest ? Value(static_cast<std::uint64_t>(std::llround(*highest))) : Value();
}

Object context_of(const Record& record) {
  const int cpus = first_machine(record).cpus;
  return {{"date", record.started},
          {"host_name", Value()},
          {"executable", record.command.empty() ? "tally" : record.command.front()},
          {"num_cpus", cpus > 0 ? Value(cpus) : Value()},
          {"mhz_per_cpu", highest_mhz(record)},
          {"cpu_scaling_enabled", Value()},
          {"caches", Array()},
          {"load_avg", Array()},
#ifdef NDEBUG
          {"library_build_type", "release"},
#else
          {"library_build_type", "debug"},
#endif
          {"json_schema_version", 1},
          {"tally_version", record.tool.version},
          {"cpu_time", "not measured: repeats real_time, without which compare.py leaves a benchmark out"}};
}

/// Where a case stands: benchmarks that differ by parameters or threads are one family.
struct Place {
  std::size_t family = 0;
  std::size_t instance = 0;
};

class Families {
 public:
  Place next(const CaseRecord& one) {
    const auto [at, added] = families_.try_emplace(
        {one.label, one.language, one.runtime, one.autograd, one.device.value_or("")}, Place{families_.size(), 0});
    return {at->second.family, at->second.instance++};
  }

 private:
  std::map<std::tuple<std::vector<std::string>, std::string, std::string, std::string, std::string>, Place> families_;
};

/// The entries of one case.
class Entries {
 public:
  Entries(const CaseRecord& one, Place place, Array& to) : case_(one), place_(place), to_(to) {}

  void add_failure() {
    Object entry = iteration(1, 0);
    entry["error_occurred"] = true;
    entry["error_message"] = case_.failure ? case_.failure->message : std::string(to_string(case_.status));
    add_time(entry, 0, 0);  // as its own failures have it
    to_.push_back(std::move(entry));
  }

  void add_count() {
    Object entry = iteration(1, 0);
    entry["iterations"] = case_.counts->iterations;
    add_counters(entry);
    to_.push_back(std::move(entry));
  }

  /// False: there are none.
  bool add_times() {
    if (!case_.wall) return false;
    std::vector<double> times;  // nanoseconds
    std::vector<std::uint64_t> executions;
    for (const std::vector<double>& child : samples_by_child(*case_.wall)) {
      if (child.empty()) continue;
      times.push_back(mean(child) * kNanoseconds);
      executions.push_back(case_.wall->number_per_run * child.size());
    }
    if (times.empty()) return false;
    for (std::size_t i = 0; i < times.size(); ++i) {
      Object entry = iteration(times.size(), i);
      add_time(entry, executions[i], times[i]);
      add_counters(entry);
      to_.push_back(std::move(entry));
    }
    add_aggregate("mean", times, mean(times));
    add_aggregate("median", times, median(times));
    if (times.size() < 2) return true;
    const double deviation = standard_deviation(times);
    add_aggregate("stddev", times, deviation);
    if (mean(times) > 0) add_aggregate("cv", times, deviation / mean(times));
    return true;
  }

 private:
  [[nodiscard]] Object entry(const std::string& name, const char* type, std::size_t repetitions) const {
    return {{"name", name},
            {"family_index", place_.family},
            {"per_family_instance_index", place_.instance},
            {"run_name", case_.id},
            {"run_type", type},
            {"repetitions", repetitions},
            {"threads", case_.threads}};
  }

  [[nodiscard]] Object iteration(std::size_t repetitions, std::size_t index) const {
    Object made = entry(case_.id, "iteration", repetitions);
    made["repetition_index"] = index;
    return made;
  }

  /// A cv is a share of the mean, where its unit says so, whatever the unit of time.
  void add_aggregate(std::string_view name, const std::vector<double>& times, double value) {
    Object made = entry(case_.id + "_" + std::string(name), "aggregate", times.size());
    made["aggregate_name"] = name;
    made["aggregate_unit"] = name == "cv" ? "percentage" : "time";
    add_time(made, times.size(), value);
    if (name == "mean" || name == "median") add_counters(made);
    to_.push_back(std::move(made));
  }

  static void add_time(Object& entry, std::uint64_t iterations, double value) {
    entry["iterations"] = iterations;
    entry["real_time"] = value;
    entry["cpu_time"] = value;
    entry["time_unit"] = "ns";
  }

  void add_counters(Object& entry) const {
    if (!case_.counts) return;
    entry["instructions"] = case_.counts->per_iteration;
    if (case_.counts->allocations) entry["allocs_per_iter"] = *case_.counts->allocations;
  }

  const CaseRecord& case_;
  Place place_;
  Array& to_;
};

}  // namespace

bool has_google_benchmark_figures(const CaseRecord& one) {
  return one.status == CaseStatus::ok && (one.counts || (one.wall && !one.wall->replicates_s.empty()));
}

std::string to_google_benchmark(const Record& record) {
  Array benchmarks;
  Families families;
  for (const CaseRecord& one : record.cases) {
    Entries entries(one, families.next(one), benchmarks);
    if (one.status != CaseStatus::ok) {
      entries.add_failure();
    } else if (!entries.add_times() && one.counts) {
      entries.add_count();
    }
  }
  return json::to_text(Object{{"context", context_of(record)}, {"benchmarks", std::move(benchmarks)}}, 1) + "\n";
}

}  // namespace tally
