#include "comparison/means.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace tally {

namespace {

/// Infinite where a count comes from nothing.
std::optional<double> ratio_of(const CaseComparison& one, bool of_times) {
  if (of_times)
    return one.time && one.time->before_s > 0 && one.time->after_s > 0
               ? std::optional(one.time->after_s / one.time->before_s)
               : std::nullopt;
  if (!one.counts || one.counts->after <= 0) return std::nullopt;
  return one.counts->before > 0 ? one.counts->after / one.counts->before : std::numeric_limits<double>::infinity();
}

}  // namespace

Means means_of(const Comparison& comparison) {
  constexpr auto kLanguages = std::to_array<std::string_view>({"python", "cpp", "command"});
  Means means;
  const auto has = [&](bool of_times) {
    for (const CaseComparison& one : comparison.cases) {
      if (ratio_of(one, of_times)) return true;
    }
    return false;
  };
  means.of_times = !has(false) && has(true);
  for (const std::string_view language : kLanguages) {
    LanguageMean mean{.language = std::string(language)};
    double logarithms = 0;
    for (const CaseComparison& one : comparison.cases) {
      const auto ratio = one.shown().language == language ? ratio_of(one, means.of_times) : std::nullopt;
      if (!ratio) continue;
      if (std::isfinite(*ratio)) {
        ++mean.cases;
        logarithms += std::log(*ratio);
      }
      if (!has_moved(one)) continue;
      ++means.moved;
      if (*ratio - 1 > means.worst_change) {
        means.worst = &one;
        means.worst_change = *ratio - 1;
      }
    }
    if (mean.cases == 0) continue;
    mean.change = std::exp(logarithms / static_cast<double>(mean.cases)) - 1;
    means.languages.push_back(std::move(mean));
  }
  return means;
}

}  // namespace tally
