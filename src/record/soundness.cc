#include "record/soundness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/date.h"
#include "expansion/case_id.h"
#include "measurement/statistics.h"
#include "record/json_fields.h"

namespace tally {
namespace {

/// The most that one execution may count: a counter has 64 bits.
constexpr double kMostCounted = 18446744073709551615.0;
/// 30 years.
constexpr double kMostSeconds = 1e9;
/// A history keeps each child's median in place of its samples, to five digits (src/history/store.h): the median of all
/// follows from these no more, but it is not far from them.
constexpr double kFar = 10;

/// Of figures that were computed one from the other, whatever was written with fewer digits in between.
bool is_near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)}); }

bool is_counted(double value) { return std::isfinite(value) && std::abs(value) <= kMostCounted; }

bool is_span(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

std::string number(double value) { return fmt::format("{:.10g}", value); }

std::optional<Fault> fault_of_events(const Counts& counts) {
  for (const auto& [name, value] : counts.events) {
    if (!is_counted(value)) return Fault{"counts.events." + name, number(value) + " is not a count"};
  }
  const std::pair<const char*, const std::optional<double>*> others[] = {
      {"denoised", &counts.denoised},
      {"estimated_cycles", &counts.estimated_cycles},
      {"string_repetitions", &counts.string_repetitions},
      {"allocations", &counts.allocations},
      {"allocated_bytes", &counts.allocated_bytes},
      {"heap_peak", &counts.heap_peak}};
  for (const auto& [name, value] : others) {
    if (*value && !is_counted(**value))
      return Fault{fmt::format("counts.{}", name), number(**value) + " is not a count"};
  }
  for (const double value : counts.per_thread.value_or(std::vector<double>())) {
    if (!is_counted(value)) return Fault{"counts.per_thread", number(value) + " is not a count"};
  }
  return std::nullopt;
}

/// A floor is the range of its samples and of the count itself; of pooled runs, of the counts of all.
std::optional<Fault> fault_of_floor(const Counts& counts) {
  if (!counts.floor) return std::nullopt;
  const NoiseFloor& floor = *counts.floor;
  if (!is_counted(floor.low)) return Fault{"counts.floor.low", number(floor.low) + " is not a count"};
  if (!is_counted(floor.high)) return Fault{"counts.floor.high", number(floor.high) + " is not a count"};
  if (floor.low > floor.high) {
    return Fault{"counts.floor",
                 fmt::format("it is reversed: low is {}, high is {}", number(floor.low), number(floor.high))};
  }
  const auto [least, most] = std::ranges::minmax(counts.replicates);
  const auto iterations = static_cast<double>(counts.iterations);
  const auto [empty_least, empty_most] = counts.baseline_replicates.empty()
                                             ? std::ranges::minmax_result<std::uint64_t>{0, 0}
                                             : std::ranges::minmax(counts.baseline_replicates);
  double low = (static_cast<double>(least) - static_cast<double>(empty_most)) / iterations;
  double high = (static_cast<double>(most) - static_cast<double>(empty_least)) / iterations;
  for (const auto& [name, value] : floor.samples) {
    if (!is_counted(value)) return Fault{"counts.floor.samples." + name, number(value) + " is not a count"};
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const bool is_wider =
      (floor.low < low && !is_near(floor.low, low)) || (floor.high > high && !is_near(floor.high, high));
  if (!is_wider) return std::nullopt;
  return Fault{"counts.floor", fmt::format("it is from {} to {}, and its samples and replicates lie from {} to {}",
                                           number(floor.low), number(floor.high), number(low), number(high))};
}

std::optional<Fault> fault_of_wall(const Wall& wall) {
  if (wall.number_per_run < 1) return Fault{"wall.number_per_run", "must be 1 or more"};
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && std::abs(seconds) <= kMostSeconds; };
  const std::pair<const char*, double> figures[] = {{"median_s", wall.median_s},
                                                    {"mean_s", wall.mean_s},
                                                    {"iqr_s", wall.iqr_s},
                                                    {"interval_s", wall.interval_s.low},
                                                    {"interval_s", wall.interval_s.high},
                                                    {"overhead_s", wall.overhead_s}};
  for (const auto& [name, seconds] : figures) {
    if (!is_time(seconds)) return Fault{fmt::format("wall.{}", name), number(seconds) + " is not a time"};
  }
  std::uint64_t total = 0;
  for (const std::uint64_t samples : wall.samples_per_child) {
    if (samples > wall.replicates_s.size()) total = samples;
    total += samples;
  }
  if (total != wall.replicates_s.size())
    return Fault{"wall.samples_per_child", "does not add up to the number of replicates_s"};
  if (wall.replicates_s.empty()) return Fault{"wall.replicates_s", "there are none"};
  for (const double seconds : wall.replicates_s) {
    if (!is_time(seconds)) return Fault{"wall.replicates_s", number(seconds) + " is not a time"};
  }
  if (wall.interval_s.low > wall.interval_s.high) return Fault{"wall.interval_s", "it is reversed"};
  if (wall.iqr_s < 0) return Fault{"wall.iqr_s", "must be 0 or more"};
  const auto [low, high] = std::ranges::minmax(wall.replicates_s);
  if (std::abs(wall.median_s) > kFar * std::max(std::abs(low), std::abs(high)) ||
      (low > 0 && wall.median_s < low / kFar)) {
    return Fault{"wall.median_s", fmt::format("{}, where its samples lie from {} to {}", number(wall.median_s),
                                              number(low), number(high))};
  }
  return std::nullopt;
}

/// "2026-01-31T12:00:00Z".
bool is_moment(const std::string& text) {
  constexpr std::size_t day = 10;
  if (text.size() <= day || !parse_date(text.substr(0, day))) return false;
  return text[day] == 'T' && text.ends_with('Z');
}

/// Which named every axis: a case that only schema 1 distinguished from another is still called so (json_read.cc).
std::string id_of_schema_1(const CaseDescription& one) {
  return make_case_id(
      {.label = one.label,
       .language = fmt::format("{} {} {} threads={}", one.language, one.runtime, one.autograd, one.threads),
       .runtime = "eager",
       .autograd = "forward",
       .threads = 1,
       .params = one.params});
}

}  // namespace

std::optional<Fault> fault_of(const Counts& counts) {
  if (counts.iterations < 1) return Fault{"counts.iterations", "must be 1 or more"};
  if (counts.replicates.empty()) return Fault{"counts.replicates", "there are none"};
  if (!is_counted(counts.per_iteration))
    return Fault{"counts.per_iteration", number(counts.per_iteration) + " is not a count"};
  const double baseline = median(counts.baseline_replicates);
  if (!is_near(counts.baseline, baseline)) {
    return Fault{"counts.baseline", fmt::format("{}, where the median of baseline_replicates is {}",
                                                number(counts.baseline), number(baseline))};
  }
  const double expected = (median(counts.replicates) - baseline) / static_cast<double>(counts.iterations);
  if (!is_near(counts.per_iteration, expected)) {
    return Fault{"counts.per_iteration", fmt::format("{}, where its replicates, baseline and iterations give {}",
                                                     number(counts.per_iteration), number(expected))};
  }
  if (counts.one_execution && !is_counted(*counts.one_execution))
    return Fault{"counts.one_execution", number(*counts.one_execution) + " is not a count"};
  if (!is_near(counts.spread, relative_spread(counts.replicates)))
    return Fault{"counts.spread", number(counts.spread) + " is not that of its replicates"};
  if (auto fault = fault_of_events(counts)) return fault;
  return fault_of_floor(counts);
}

std::string id_by_facts(const CaseDescription& one) {
  return make_case_id({.label = one.label,
                       .language = one.language,
                       .runtime = one.runtime,
                       .autograd = one.autograd,
                       .device = one.device ? std::string_view(*one.device) : std::string_view(),
                       .threads = one.threads,
                       .params = one.params});
}

std::optional<Fault> fault_of_id(const CaseDescription& one) {
  if (one.id.empty()) return Fault{"id", "is empty"};
  // What names its facts in brackets names them as they are. A framework's own id may end in others.
  const std::size_t brackets = one.id.rfind(" [");
  if (!one.id.ends_with(']') || brackets == std::string::npos) return std::nullopt;
  const std::string_view facts = std::string_view(one.id).substr(brackets + 2);
  const bool names_facts = std::ranges::any_of(record_json::kLanguages, [&](std::string_view language) {
    const std::string_view rest = facts.substr(std::min(language.size(), facts.size()));
    return facts.starts_with(language) && (rest.starts_with(']') || rest.starts_with(' '));
  });
  if (!names_facts) return std::nullopt;
  const std::string id = id_by_facts(one);
  if (id == one.id || id_of_schema_1(one) == one.id) return std::nullopt;
  return Fault{"id", fmt::format("'{}', where the facts of the case make it '{}'", one.id, id)};
}

std::optional<Fault> fault_of(const CaseRecord& one) {
  if (one.threads < 1) return Fault{"threads", "must be 1 or more"};
  if (one.counts) {
    if (auto fault = fault_of(*one.counts)) return fault;
  }
  if (one.wall) {
    if (auto fault = fault_of_wall(*one.wall)) return fault;
  }
  if (one.processes && one.counts) {
    std::uint64_t sum = 0;
    for (const ProcessCount& process : *one.processes) sum += process.instructions;
    if (!contains(one.counts->replicates, sum)) return Fault{"processes", "their sum is that of no replicate"};
  }
  if (one.used && !(is_span(one.used->user_s) && is_span(one.used->system_s)))
    return Fault{"used", "times must be 0 or more"};
  return std::nullopt;
}

std::optional<Fault> fault_of(const Record& record) {
  if (!is_moment(record.started)) return Fault{"started", "must be a moment such as 2026-01-31T12:00:00Z"};
  if (!is_moment(record.finished)) return Fault{"finished", "must be a moment such as 2026-01-31T12:00:00Z"};
  if (!std::isfinite(record.seconds) || record.seconds < 0) return Fault{"seconds", "must be 0 or more"};
  return std::nullopt;
}

}  // namespace tally
