#include "exchange/import_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tally::exchange {

Result<Results> read_hyperfine(std::span<const File> files) {
  const auto json = parsed(files.front());
  if (!json) return std::unexpected(json.error());
  const json::Array* const all = (*json)["results"].array();
  if (all == nullptr) return not_of_format(files.front(), "hyperfine's --export-json writes: it has no \"results\"");
  Results results{.language = "command"};
  for (const json::Value& one : *all) {
    Benchmark benchmark{.name = text_at(one, "command")};
    // Each execution is a process of its own.
    for (const double seconds : numbers_of(one["times"])) benchmark.by_child.push_back({seconds});
    if (benchmark.by_child.empty()) {
      if (const auto median = number_at(one, "median")) benchmark.by_child.push_back({*median});
    }
    if (const json::Object* const parameters = one["parameters"].object()) {
      for (const auto& [name, value] : *parameters)
        benchmark.params.emplace_back(name, value.number() ? fmt::format("{}", *value.number()) : value.text_or(""));
    }
    const auto user = number_at(one, "user");
    const auto system = number_at(one, "system");
    if (user && system) {
      benchmark.used = ResourceUse{.user_s = *user, .system_s = *system};
      const std::vector<double> memory = numbers_of(one["memory_usage_byte"]);
      if (!memory.empty() && std::ranges::max(memory) > 0)
        benchmark.used->peak_bytes = static_cast<std::uint64_t>(std::ranges::max(memory));
    }
    if (const json::Array* const codes = one["exit_codes"].array()) {
      for (const json::Value& code : *codes) {
        const auto number = code.number();
        const bool is_code = number && std::abs(*number) <= std::numeric_limits<int>::max();
        benchmark.exit_codes.push_back(is_code ? std::optional(static_cast<int>(*number)) : std::nullopt);
      }
    }
    results.benchmarks.push_back(std::move(benchmark));
  }
  return results;
}

Result<Results> read_named_values(std::span<const File> files) {
  const auto json = parsed(files.front());
  if (!json) return std::unexpected(json.error());
  const json::Array* const all = json->array();
  if (all == nullptr)
    return not_of_format(files.front(), "github-action-benchmark reads: it is not a list of name, unit and value");
  Results results{.language = "command"};
  for (const json::Value& one : *all) {
    const std::string name = text_at(one, "name");
    const std::string unit = text_at(one, "unit");
    const auto value = number_at(one, "value");
    if (name.empty() || !value)
      return not_of_format(files.front(), "github-action-benchmark reads: an entry has no name or no value");
    const auto scale = seconds_of_unit(unit);
    if (!scale) {
      results.left_out.push_back(fmt::format("{}: its unit is '{}', which is not a time", name, unit));
      continue;
    }
    results.benchmarks.push_back({.name = name, .by_child = {{*value * *scale}}});
  }
  return results;
}

}  // namespace tally::exchange
