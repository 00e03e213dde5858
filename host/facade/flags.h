/// What a user says on the command line, or in BENCHMARK_… variables.
#pragma once

#include <optional>
#include <string>

#include "benchmark/benchmark.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

struct Flags {
  bool list_tests = false;
  std::string filter;
  std::string min_time = kDefaultMinTimeStr;  ///< "0.5s", "0.5", or "100x": iterations.
  double min_warmup_time = 0;
  int repetitions = 1;
  bool dry_run = false;
  bool enable_random_interleaving = false;
  bool report_aggregates_only = false;
  bool display_aggregates_only = false;
  std::string format = "console";
  std::string out;
  std::string out_format = "json";
  std::string color = "auto";
  bool counters_tabular = false;
  std::string perf_counters;
  std::string context;  ///< "key=value,key=value"
  std::string time_unit;
  int v = 0;

  /// Of min_time.
  [[nodiscard]] double min_seconds() const;
  [[nodiscard]] std::optional<IterationCount> iterations() const;
};

Flags& flags();

/// "yes", "1", "off", ... Ends the program with a message where the word is none of them.
bool is_true(const std::string& name, std::string word);

/// Takes those that are known from the command line. Ends the program with a message where one is wrong.
void read_flags(int* argc, char** argv, void (*help)());

}  // namespace internal

TALLYMARK_FACADE_END
