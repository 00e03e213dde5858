/// What the readers of import.h share. Owns: the shape that they fill in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/import.h"
#include "json/value.h"
#include "measurement/command_use.h"

namespace tally::exchange {

struct Benchmark {
  std::string name;
  std::string version = {};  ///< Of its code: times of two are not compared. Empty: not given.
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::vector<double>> by_child;  ///< Seconds for one execution, by process.
  std::uint64_t executions = 1;               ///< In a sample.
  int threads = 1;
  std::map<std::string, double> counters;
  std::optional<ResourceUse> used;
  /// Of a command, each execution's; one that a signal ended has none. Empty: not known.
  std::vector<std::optional<int>> exit_codes;
  std::string failure;  ///< Why there are no times; empty: there are.
};

struct Results {
  std::string tool_version;
  std::string language;  ///< "cpp", "python", "command"
  std::string commit;    ///< Empty: not given.
  bool is_dirty = false;
  std::string started;  ///< ISO 8601, UTC; empty: not given.
  Machine machine;
  std::map<std::string, std::string> facts;  ///< Of what it ran in: "python" → "3.11.7".
  std::vector<Benchmark> benchmarks;
  std::vector<std::string> left_out;
};

/// Throws nothing; an error (input) has its place. Python's NaN and Infinity are texts.
Result<json::Value> parsed(const File& file);

/// An error (input): it is of no such format.
std::unexpected<Error> not_of_format(const File& file, std::string_view wanted);

/// "us" → 1e-6; nothing: it is no unit of time. Those of rates ("ops/s") are none.
std::optional<double> seconds_of_unit(std::string_view unit);

std::string text_at(const json::Value& value, std::string_view key);
std::optional<double> number_at(const json::Value& value, std::string_view key);
/// The finite numbers of a list, times `scale`.
std::vector<double> numbers_of(const json::Value& list, double scale = 1);

/// "2026-01-31T12:00:00+01:00", "2026-01-31 12:00:00.5" (UTC, unless it says otherwise) → "2026-01-31T11:00:00Z"; empty
/// where it is no moment.
std::string moment_of(std::string_view text);
std::string moment_of(double seconds_since_1970);

}  // namespace tally::exchange
