#include "record/pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"

namespace tally {
namespace {

struct Weights {
  double first = 1;
  double second = 1;
  [[nodiscard]] double mean(double a, double b) const { return (a * first + b * second) / (first + second); }
  /// Nothing where either side has nothing: half a measurement is none.
  [[nodiscard]] std::optional<double> mean(const std::optional<double>& a, const std::optional<double>& b) const {
    return a && b ? std::optional(mean(*a, *b)) : std::nullopt;
  }
};

std::vector<std::vector<std::uint64_t>> rows(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::vector<std::uint64_t>> all;
  for (const auto* values : {&a, &b}) {
    for (const std::uint64_t value : *values) all.push_back({value});
  }
  return all;
}

std::optional<NoiseFloor> pool_floors(const std::optional<NoiseFloor>& a, const std::optional<NoiseFloor>& b) {
  if (!a || !b) return a ? a : b;
  NoiseFloor floor{.low = std::min(a->low, b->low), .high = std::max(a->high, b->high), .samples = a->samples};
  floor.samples.insert(floor.samples.end(), b->samples.begin(), b->samples.end());
  return floor;
}

std::optional<WallWatch> pool_watches(const Wall& a, const Wall& b) {
  if (!a.watch || !b.watch) return std::nullopt;
  return pooled(*a.watch, a.replicates_s.size(), *b.watch, b.replicates_s.size());
}

template <typename T>
void add_new(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& value : from) {
    if (!contains(to, value)) to.push_back(value);
  }
}

std::optional<std::vector<int>> pool_codes(const std::optional<std::vector<int>>& a,
                                           const std::optional<std::vector<int>>& b) {
  if (!a || !b) return std::nullopt;
  std::vector<int> codes = *a;
  add_new(codes, *b);
  std::ranges::sort(codes);
  return codes;
}

/// Flags are recomputed where they follow from samples; "bimodal" of one half need not hold for the whole.
void pool_flags(CaseRecord& into, const CaseRecord& other, double precision) {
  add_new(into.flags, other.flags);
  std::erase_if(into.flags, [](const std::string& flag) {
    return flag == "bimodal" || flag == "drifting" || flag == "one_child" || flag == "imprecise" ||
           flag == "throttled" || flag == "stolen" || flag == "counts_vary";
  });
  if (into.counts && !replicates_agree(into.counts->replicates, into.counts->iterations))
    into.flags.emplace_back("counts_vary");
  if (!into.wall) return;
  const WallSamples samples{.number_per_run = into.wall->number_per_run,
                            .overhead_s = into.wall->overhead_s,
                            .by_child = samples_by_child(*into.wall),
                            .watch = into.wall->watch};
  add_new(into.flags, wall_flags(samples, precision));
}

void pool_case(CaseRecord& into, const CaseRecord& other, double precision) {
  into.attempts.insert(into.attempts.end(), other.attempts.begin(), other.attempts.end());
  add_new(into.warnings, other.warnings);
  if (into.status != CaseStatus::ok) return;
  if (other.status != CaseStatus::ok) {
    std::vector<Attempt> attempts = std::move(into.attempts);
    into = other;
    into.attempts = std::move(attempts);
    return;
  }
  if (into.counts && other.counts) into.counts = pool(*into.counts, *other.counts);
  if (into.wall && other.wall) into.wall = pool(*into.wall, *other.wall);
  if (into.used && other.used) {
    into.used = ResourceUse{.user_s = (into.used->user_s + other.used->user_s) / 2,
                            .system_s = (into.used->system_s + other.used->system_s) / 2,
                            .peak_bytes = std::max(into.used->peak_bytes, other.used->peak_bytes),
                            .exit_codes = pool_codes(into.used->exit_codes, other.used->exit_codes)};
  }
  if (into.reported && other.reported) into.reported->value = (into.reported->value + other.reported->value) / 2;
  if (!into.profile) into.profile = other.profile;
  pool_flags(into, other, precision);
}

Status check_alike(const Record& a, const Record& b) {
  const auto refuse = [](std::string message) -> Status {
    return fail(ErrorKind::input, "two rounds cannot be put together: " + std::move(message), {},
                "let nothing change what is measured between the rounds");
  };
  if (a.cases.size() != b.cases.size()) return refuse("they have not the same cases");
  for (std::size_t i = 0; i < a.cases.size(); ++i) {
    const CaseRecord& x = a.cases[i];
    const CaseRecord& y = b.cases[i];
    if (x.id != y.id) return refuse("they have not the same cases");
    if (x.definition != y.definition) return refuse("the definition changed of " + x.id);
    if (x.counts && y.counts && x.counts->iterations != y.counts->iterations)
      return refuse("iterations differ of " + x.id);
  }
  if (a.settings.valgrind_flags != b.settings.valgrind_flags || a.settings.isolation != b.settings.isolation)
    return refuse("they were counted in different ways");
  for (const auto& [name, environment] : a.environments) {
    const auto it = b.environments.find(name);
    if (it == b.environments.end() || it->second.fingerprint != environment.fingerprint)
      return refuse(fmt::format("the environment or the subject of {} changed", name));
  }
  return {};
}

}  // namespace

Counts pool(const Counts& first, const Counts& second) {
  const Weights weights{static_cast<double>(std::max<std::size_t>(first.replicates.size(), 1)),
                        static_cast<double>(std::max<std::size_t>(second.replicates.size(), 1))};
  Counts counts = summarize_counts({.iterations = first.iterations,
                                    .events = {"Ir"},
                                    .replicates = rows(first.replicates, second.replicates),
                                    .baseline = rows(first.baseline_replicates, second.baseline_replicates)});
  const double instructions = counts.per_iteration;
  counts.events.clear();
  for (const auto& [name, value] : first.events) {
    const auto it = std::ranges::find(second.events, name, &std::pair<std::string, double>::first);
    if (it == second.events.end()) continue;
    counts.events.emplace_back(name, name == "Ir" ? instructions : weights.mean(value, it->second));
  }
  counts.estimated_cycles = estimated_cycles(counts.events);
  counts.proven = first.proven == second.proven ? first.proven : std::nullopt;
  if (first.one_execution == second.one_execution) counts.one_execution = first.one_execution;
  counts.floor = pool_floors(first.floor, second.floor);
  counts.denoised = weights.mean(first.denoised, second.denoised);
  counts.string_repetitions = weights.mean(first.string_repetitions, second.string_repetitions);
  counts.allocations = weights.mean(first.allocations, second.allocations);
  counts.allocated_bytes = weights.mean(first.allocated_bytes, second.allocated_bytes);
  counts.heap_peak = weights.mean(first.heap_peak, second.heap_peak);
  if (first.per_thread && second.per_thread && first.per_thread->size() == second.per_thread->size()) {
    counts.per_thread.emplace();
    for (std::size_t i = 0; i < first.per_thread->size(); ++i)
      counts.per_thread->push_back(weights.mean((*first.per_thread)[i], (*second.per_thread)[i]));
  }
  return counts;
}

Wall pool(const Wall& first, const Wall& second) {
  WallSamples samples{.number_per_run = std::min(first.number_per_run, second.number_per_run),
                      .overhead_s = std::max(first.overhead_s, second.overhead_s),
                      .by_child = samples_by_child(first)};
  for (std::vector<double>& child : samples_by_child(second)) samples.by_child.push_back(std::move(child));
  Wall wall = summarize_wall(samples);
  wall.watch = pool_watches(first, second);
  return wall;
}

Result<Record> pool(Record first, const Record& second) {
  if (const Status alike = check_alike(first, second); !alike) return std::unexpected(alike.error());
  for (std::size_t i = 0; i < first.cases.size(); ++i)
    pool_case(first.cases[i], second.cases[i], first.settings.precision);
  first.started = std::min(first.started, second.started);
  first.finished = std::max(first.finished, second.finished);
  first.seconds += second.seconds;
  first.settings.repeat += second.settings.repeat;
  add_host_starts(first.settings, second.settings);
  return first;
}

}  // namespace tally
