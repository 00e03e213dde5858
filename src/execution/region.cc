#include "execution/region.h"

namespace tally {

std::optional<std::string> why_unusable(const RegionCounted& region) {
  if (region.totals && *region.totals) return std::nullopt;
  return "Callgrind left no usable counts: " + (region.totals ? describe(region.totals->error()) : "no dump");
}

}  // namespace tally
