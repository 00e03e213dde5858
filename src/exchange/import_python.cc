#include "exchange/import_python.h"

#include <fmt/format.h>

#include <cmath>

namespace tally::exchange {

namespace {

/// A parameter's value as its tool's own names show it.
std::string shown(const json::Value& value) {
  if (value.text() != nullptr) return *value.text();
  if (value.whole() != nullptr) return fmt::format("{}", *value.whole());
  if (const auto number = value.number()) return fmt::format("{}", *number);
  if (value.flag() != nullptr) return *value.flag() ? "True" : "False";
  return value.is_null() ? "None" : "?";
}

}  // namespace

Result<Results> read_pytest_benchmark(std::span<const File> files) {
  const auto json = parsed(files.front());
  if (!json) return std::unexpected(json.error());
  const json::Array* const all = (*json)["benchmarks"].array();
  const json::Value& machine = (*json)["machine_info"];
  if (all == nullptr || machine.object() == nullptr) {
    return not_of_format(files.front(),
                         "pytest-benchmark's --benchmark-json writes: it has no \"machine_info\" or no \"benchmarks\"");
  }
  const json::Value& commit = (*json)["commit_info"];
  Results results{.tool_version = text_at(*json, "version"),
                  .language = "python",
                  .commit = text_at(commit, "id"),
                  .is_dirty = commit["dirty"].flag() != nullptr && *commit["dirty"].flag(),
                  .started = moment_of(text_at(*json, "datetime"))};
  results.machine = {.cpu = text_at(machine["cpu"], "brand_raw"),
                     .cpus = static_cast<int>(number_at(machine["cpu"], "count").value_or(0)),
                     .kernel = text_at(machine, "release"),
                     .system = text_at(machine, "system"),
                     .architecture = text_at(machine, "machine"),
                     .name = text_at(machine, "node")};
  results.facts["python"] =
      text_at(machine, "python_implementation") + " " + text_at(machine, "python_implementation_version");
  for (const json::Value& one : *all) {
    const json::Value& stats = one["stats"];
    Benchmark benchmark{.name = text_at(one, "fullname")};
    if (benchmark.name.empty()) benchmark.name = text_at(one, "name");
    std::vector<double> samples = numbers_of(stats["data"]);
    if (samples.empty()) {
      if (const auto median = number_at(stats, "median")) samples.push_back(*median);
    }
    // All rounds are of one process. Where it was interrupted, or disabled, there are none.
    if (!samples.empty()) benchmark.by_child.push_back(std::move(samples));
    if (const auto number = number_at(stats, "iterations"); number && *number >= 1)
      benchmark.executions = static_cast<std::uint64_t>(*number);
    if (const bool* failed = stats["has_error"].flag(); failed != nullptr && *failed)
      benchmark.failure = "it had an error";
    if (const bool* failed = one["has_error"].flag(); failed != nullptr && *failed)
      benchmark.failure = "it had an error";
    results.benchmarks.push_back(std::move(benchmark));
  }
  return results;
}

Result<Results> read_pyperf(std::span<const File> files) {
  const auto json = parsed(files.front());
  if (!json) return std::unexpected(json.error());
  const json::Array* const all = (*json)["benchmarks"].array();
  if (all == nullptr || text_at(*json, "version").empty()) {
    return not_of_format(files.front(), "pyperf's -o writes: it has no \"version\" or no \"benchmarks\"");
  }
  const json::Value& common = (*json)["metadata"];
  // What is the same in all runs stands once: of the file, else of the benchmark, else of each run.
  const auto of = [&](const json::Value& one, std::string_view key) -> const json::Value& {
    for (const json::Value* place : {&one["metadata"], &one["runs"][1]["metadata"], &one["runs"][0]["metadata"]}) {
      if (place->has(key)) return (*place)[key];
    }
    return common[key];
  };
  const json::Value& first = all->empty() ? common : all->front();
  Results results{.tool_version = of(first, "perf_version").text_or(""),
                  .language = "python",
                  .started = moment_of(of(first, "date").text_or(""))};
  results.machine = {.cpu = of(first, "cpu_model_name").text_or(""),
                     .cpus = static_cast<int>(of(first, "cpu_count").number().value_or(0)),
                     .name = of(first, "hostname").text_or("")};
  results.facts["platform"] = of(first, "platform").text_or("");
  results.facts["python"] =
      of(first, "python_implementation").text_or("") + " " + of(first, "python_version").text_or("");
  for (const json::Value& one : *all) {
    Benchmark benchmark{.name = of(one, "name").text_or("")};
    const std::string unit = of(one, "unit").text_or("second");
    if (unit != "second") {
      results.left_out.push_back(fmt::format("{}: its unit is '{}', which is not a time", benchmark.name, unit));
      continue;
    }
    if (const json::Array* const runs = one["runs"].array()) {
      for (const json::Value& run : *runs) {
        // One that calibrates has no values.
        if (auto values = numbers_of(run["values"]); !values.empty()) benchmark.by_child.push_back(std::move(values));
      }
    }
    if (const auto loops = of(one, "loops").number(); loops && *loops >= 1)
      benchmark.executions = static_cast<std::uint64_t>(*loops);
    results.benchmarks.push_back(std::move(benchmark));
  }
  return results;
}

namespace {

/// asv keeps what Python writes of a value: a text has its quotes.
std::string without_quotes(std::string text) {
  const bool is_quoted =
      text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// asv's results of a benchmark: a list for each column, of all combinations of its parameters.
class AsvBenchmark {
 public:
  AsvBenchmark(const json::Value& columns, const json::Value& row) : columns_(columns), row_(row) {}

  [[nodiscard]] const json::Value& operator[](std::string_view column) const {
    static const json::Value kNothing;
    const json::Array* const names = columns_.array();
    for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
      if ((*names)[i].text_or("") == column) return row_[i];
    }
    return kNothing;
  }

  /// Calls visit(parameters, index) for each combination, the last parameter's values first.
  template <typename Visit>
  void for_each(Visit visit) const {
    std::vector<const json::Array*> lists;
    std::size_t combinations = 1;
    if (const json::Array* const params = (*this)["params"].array()) {
      for (const json::Value& list : *params) {
        if (list.array() == nullptr || list.array()->empty()) return;
        lists.push_back(list.array());
        combinations *= list.array()->size();
        constexpr std::size_t kMost = 1'000'000;
        if (combinations > kMost) return;
      }
    }
    for (std::size_t i = 0; i < combinations; ++i) {
      std::vector<std::string> values(lists.size());
      std::size_t rest = i;
      for (std::size_t list = lists.size(); list-- > 0;) {
        values[list] = without_quotes(shown((*lists[list])[rest % lists[list]->size()]));
        rest /= lists[list]->size();
      }
      visit(values, i);
    }
  }

 private:
  const json::Value& columns_;
  const json::Value& row_;
};

/// "module.Class.time_it": what it measures stands before the first underscore of the last part.
bool is_time_of_asv(std::string_view name, const json::Value& about) {
  if (about.has("type")) return about["type"].text_or("") == "time";
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return last.starts_with("time_") || last.starts_with("timeraw_");
}

}  // namespace

Result<Results> read_asv(std::span<const File> files) {
  const auto json = parsed(files.front());
  if (!json) return std::unexpected(json.error());
  const json::Object* const all = (*json)["results"].object();
  const json::Value& columns = (*json)["result_columns"];
  if (all == nullptr || columns.array() == nullptr || (*json)["version"].number() != 2.0) {
    return not_of_format(files.front(),
                         "asv keeps in results/MACHINE/COMMIT-ENV.json: it has no \"results\", or is not of version 2");
  }
  const json::Value& machine = (*json)["params"];
  Results results{.language = "python",
                  .commit = text_at(*json, "commit_hash"),
                  .started = moment_of(number_at(*json, "date").value_or(-1) * 1e-3)};
  results.machine = {.cpu = text_at(machine, "cpu"),
                     .cpus = std::atoi(shown(machine["num_cpu"]).c_str()),  // NOLINT(cert-err34-c): 0 is "not known"
                     .system = text_at(machine, "os"),
                     .architecture = text_at(machine, "arch"),
                     .name = text_at(machine, "machine")};
  results.facts["python"] = text_at(*json, "python");
  if (const json::Object* const requirements = (*json)["requirements"].object()) {
    for (const auto& [name, version] : *requirements) results.facts["requirement." + name] = shown(version);
  }
  // Each combination that asv.conf.json names is a configuration of its own.
  if (const json::Object* const variables = (*json)["env_vars"].object()) {
    for (const auto& [name, value] : *variables) results.facts["variable." + name] = shown(value);
  }
  auto about = json::Value();
  if (files.size() > 1) {
    auto read = parsed(files[1]);
    if (!read) return std::unexpected(read.error());
    about = *std::move(read);
  }
  for (const auto& [name, row] : *all) {
    if (!is_time_of_asv(name, about[name])) {
      results.left_out.push_back(name + ": it is not a time");
      continue;
    }
    const AsvBenchmark benchmark(columns, row);
    // null: it failed, as a whole or for some parameters. NaN: it skips these.
    const json::Value& all_of_it = benchmark["result"];
    benchmark.for_each([&](const std::vector<std::string>& values, std::size_t i) {
      Benchmark one{.name = name, .version = benchmark["version"].text_or("")};
      const json::Value& names = about[name]["param_names"];
      for (std::size_t k = 0; k < values.size(); ++k)
        one.params.emplace_back(names[k].text_or(fmt::format("param{}", k + 1)), values[k]);
      const json::Value& result = all_of_it[i];
      const bool failed = all_of_it.is_null() || (i < all_of_it.size() && result.is_null());
      std::vector<double> samples = numbers_of(benchmark["samples"][i]);
      if (samples.empty() && result.number()) samples.push_back(*result.number());
      if (const auto number = benchmark["stats_number"][i].number(); number && *number >= 1)
        one.executions = static_cast<std::uint64_t>(*number);
      if (!samples.empty()) {
        one.by_child.push_back(std::move(samples));
      } else if (failed) {
        one.failure = "it failed";
      } else {
        return;  // a combination that it skips
      }
      results.benchmarks.push_back(std::move(one));
    });
  }
  return results;
}

}  // namespace tally::exchange
