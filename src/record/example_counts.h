/// A measured count made larger or smaller with all that it follows from, for tests and for nothing else: a record
/// whose figures contradict each other is refused.
#pragma once

#include <cmath>

#include "measurement/counts.h"

namespace tally {

inline void scale_count(Counts& counts, double factor) {
  CountSamples samples{.iterations = counts.iterations, .events = {"Ir"}, .replicates = {}, .baseline = {}};
  for (const std::uint64_t raw : counts.replicates) {
    const double own = static_cast<double>(raw) - counts.baseline;
    samples.replicates.push_back({static_cast<std::uint64_t>(std::llround(counts.baseline + own * factor))});
  }
  for (const std::uint64_t raw : counts.baseline_replicates) samples.baseline.push_back({raw});
  const Counts scaled = summarize_counts(samples);
  counts.per_iteration = scaled.per_iteration;
  counts.replicates = scaled.replicates;
  counts.spread = scaled.spread;
  counts.floor.reset();
  for (auto& [name, value] : counts.events) {
    if (name == "Ir") value = scaled.per_iteration;
  }
}

}  // namespace tally
