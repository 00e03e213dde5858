/// What was kept of cases beside their records, and says where a change is. Who reads files gives it.
#pragma once

#include <functional>
#include <optional>

#include "profile/allocation_sites.h"
#include "profile/line_costs.h"
#include "profile/store.h"
#include "record/record.h"

namespace tally {

enum class ProfileOf { native, python };

using ProfileLoader = std::function<std::optional<StoredProfile>(const Record&, const CaseRecord&, ProfileOf)>;
using LineLoader = std::function<std::optional<KeptLines>(const Record&, const CaseRecord&)>;
using AllocationLoader = std::function<std::optional<AllocationSites>(const Record&, const CaseRecord&)>;

/// Each may be empty, and gives nothing of a case that has kept nothing.
struct Evidence {
  ProfileLoader profiles = nullptr;
  LineLoader lines = nullptr;
  AllocationLoader allocations = nullptr;
};

}  // namespace tally
