#include "measurement/counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measurement/statistics.h"

namespace tally {
namespace {

std::vector<std::uint64_t> column(const std::vector<std::vector<std::uint64_t>>& rows, std::size_t index) {
  std::vector<std::uint64_t> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(index < row.size() ? row[index] : 0);
  return values;
}

double find(std::span<const std::pair<std::string, double>> events, std::string_view name) {
  const auto it = std::ranges::find(events, name, &std::pair<std::string, double>::first);
  return it == events.end() ? 0 : it->second;
}

bool has(std::span<const std::pair<std::string, double>> events, std::string_view name) {
  return std::ranges::find(events, name, &std::pair<std::string, double>::first) != events.end();
}

}  // namespace

double relative_spread(std::span<const std::uint64_t> values) {
  const double middle = median(values);
  if (values.size() < 2 || middle == 0) return 0;
  const auto [low, high] = std::ranges::minmax(values);
  return static_cast<double>(high - low) / middle;
}

Counts summarize_counts(const CountSamples& samples) {
  Counts counts;
  counts.iterations = samples.iterations;
  if (samples.one_execution > 0) counts.one_execution = static_cast<double>(samples.one_execution);
  const auto iterations = static_cast<double>(std::max<std::uint64_t>(samples.iterations, 1));
  for (std::size_t i = 0; i < samples.events.size(); ++i) {
    std::vector<std::uint64_t> replicates = column(samples.replicates, i);
    std::vector<std::uint64_t> baseline = column(samples.baseline, i);
    const double per_iteration = (median(replicates) - median(baseline)) / iterations;
    if (samples.events[i] == kStringRepetitions) {
      if (per_iteration != 0) counts.string_repetitions = per_iteration;
      continue;
    }
    counts.events.emplace_back(samples.events[i], per_iteration);
    if (samples.events[i] != "Ir") continue;
    counts.per_iteration = per_iteration;
    counts.baseline = median(baseline);
    counts.spread = relative_spread(replicates);
    counts.replicates = std::move(replicates);
    counts.baseline_replicates = std::move(baseline);
  }
  counts.estimated_cycles = estimated_cycles(counts.events);
  return counts;
}

std::vector<double> counts_by_thread(const CountSamples& alone) {
  const auto event = std::ranges::find(alone.events, "Ir") - alone.events.begin();
  const std::vector<std::uint64_t> whole = column(alone.replicates, static_cast<std::size_t>(event));
  const std::vector<std::uint64_t> empty = column(alone.baseline, static_cast<std::size_t>(event));
  std::vector<double> each;
  for (std::size_t i = 0; i < std::min(whole.size(), empty.size()); ++i)
    each.push_back((static_cast<double>(whole[i]) - static_cast<double>(empty[i])) /
                   static_cast<double>(std::max<std::uint64_t>(alone.iterations, 1)));
  return each;
}

bool adds_up(std::span<const double> by_thread, const Counts& whole) {
  constexpr CountTolerance kTolerance{.relative = 0.0001, .instructions_per_iteration = 1};
  const double off = std::abs(std::accumulate(by_thread.begin(), by_thread.end(), 0.0) - whole.per_iteration);
  return off <= kTolerance.instructions_per_iteration || off <= kTolerance.relative * whole.per_iteration;
}

bool replicates_agree(std::span<const std::uint64_t> replicates, std::uint64_t iterations, CountTolerance tolerance) {
  if (replicates.size() < 2) return true;
  const auto [low, high] = std::ranges::minmax(replicates);
  const auto range = static_cast<double>(high - low);
  return range <= tolerance.relative * median(replicates) ||
         range <= tolerance.instructions_per_iteration * static_cast<double>(std::max<std::uint64_t>(iterations, 1));
}

bool needs_more_replicates(std::span<const std::uint64_t> replicates, int least, int most) {
  const auto done = static_cast<int>(replicates.size());
  if (done < least) return true;
  if (done >= most) return false;
  const auto [low, high] = std::ranges::minmax(replicates);
  return low != high;
}

std::optional<double> estimated_cycles(std::span<const std::pair<std::string, double>> events) {
  const bool caches = has(events, "D1mr");
  const bool branches = has(events, "Bcm");
  if (!caches && !branches) return std::nullopt;
  const double level1 = find(events, "I1mr") + find(events, "D1mr") + find(events, "D1mw");
  const double last_level = find(events, "ILmr") + find(events, "DLmr") + find(events, "DLmw");
  const double mispredicted = find(events, "Bcm") + find(events, "Bim");
  return find(events, "Ir") + 10 * level1 + 100 * last_level + 10 * mispredicted;
}

bool looks_optimised_away(const Counts& counts) { return counts.per_iteration < 0.5; }

bool is_mostly_repetitions(const Counts& counts) {
  return counts.string_repetitions && *counts.string_repetitions > counts.per_iteration / 2;
}

NoiseFloor noise_floor(double base, std::vector<std::pair<std::string, double>> samples) {
  NoiseFloor floor{.low = base, .high = base, .samples = std::move(samples)};
  for (const auto& [perturbation, value] : floor.samples) {
    floor.low = std::min(floor.low, value);
    floor.high = std::max(floor.high, value);
  }
  return floor;
}

}  // namespace tally
