/// Records in the formats that other services read. Pure.
///
///   bencher                 Bencher Metric Format: {"id": {"latency": {"value", "lower_value", "upper_value"},
///                           "instructions": {"value"}, …}}; latency in nanoseconds, memory in bytes
///   github-action-benchmark customSmallerIsBetter: [{"name", "unit", "value", "range", "extra"}]; an entry for each
///                           figure of a case
///
/// A case is called by its id, which is its alone: readable_id() of two may be one, and services keep a series by name.
/// What a case does not have is left out, and so are cases that are not "ok": a figure that stands is one that was
/// measured. CodSpeed documents no format that others could write.
#pragma once

#include <string>

#include "record/record.h"

namespace tally::exchange {

/// Whether these formats have an entry for it.
bool has_service_figures(const CaseRecord& one);

std::string to_bencher(const Record& record);
std::string to_github_action_benchmark(const Record& record);

}  // namespace tally::exchange
