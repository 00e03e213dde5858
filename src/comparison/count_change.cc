#include "comparison/count_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tally {

double relative_change(double before, double after) {
  if (before == after) return 0;
  if (before == 0)
    return after > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return after / before - 1;
}

namespace {

/// Half the range of the replicates: the median of so few may lie anywhere within.
double replicate_doubt(const Counts& counts) {
  if (counts.replicates.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(counts.replicates);
  return static_cast<double>(high - low) / 2 / static_cast<double>(std::max<std::uint64_t>(counts.iterations, 1));
}

}  // namespace

CountChange count_change(const CaseRecord& base, const CaseRecord& next, const CountThreshold& threshold,
                         bool denoise) {
  CountChange change{.before = base.counts->per_iteration, .after = next.counts->per_iteration};
  if (denoise && base.counts->denoised && next.counts->denoised)
    change = {.before = *base.counts->denoised, .after = *next.counts->denoised, .denoised = true};
  change.change = relative_change(change.before, change.after);
  double floor = 0;
  for (const Counts* counts : {&*base.counts, &*next.counts}) {
    if (!counts->floor) continue;
    change.floor_measured = true;
    floor = std::max(floor, counts->floor->high - counts->floor->low);
  }
  if (!change.floor_measured) {
    floor = std::abs(change.before) *
            (next.language == "python" ? threshold.usual_floor_python : threshold.usual_floor_cpp);
  }
  change.threshold =
      std::max({floor, threshold.least_instructions, replicate_doubt(*base.counts) + replicate_doubt(*next.counts)});
  return change;
}

bool is_real(const CountChange& change) { return std::abs(change.after - change.before) > change.threshold; }

std::string why_not_comparable(const Settings& a, const CaseRecord& base, const Settings& b, const CaseRecord& next) {
  if (base.counts && next.counts && base.counts->iterations != next.counts->iterations) {
    return fmt::format("iterations differ: {} and {}", base.counts->iterations, next.counts->iterations);
  }
  if (a.cache_sim != b.cache_sim) return "one run simulated caches, the other did not";
  if (a.branch_sim != b.branch_sim) return "one run simulated branches, the other did not";
  if (a.isolation != b.isolation) return fmt::format("isolation differs: {} and {}", a.isolation, b.isolation);
  return {};
}

}  // namespace tally
