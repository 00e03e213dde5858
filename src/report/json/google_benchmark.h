/// A record in Google Benchmark's format. Pure.
#pragma once

#include <string>

#include "record/record.h"

namespace tally {

/// What Google Benchmark's --benchmark_format=json writes, so that its compare.py and dashboards read a record; every
/// key is described in docs/reference/google_benchmark.md. A repetition is a process that was timed, aggregates are of
/// these, and instructions per iteration are a counter. What the record does not know is null or left out.
std::string to_google_benchmark(const Record& record);

/// Whether a case that was measured has an entry there: its times or its count.
bool has_google_benchmark_figures(const CaseRecord& one);

}  // namespace tally
