// The readers of allocations, as a case leaves them and as they are kept, must stand any bytes; what was kept must come
// back as it was written.
#include <cstdlib>
#include <tuple>

#include "profile/allocation_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::ignore = tally::parse_allocation_trace(bytes);
  const auto kept = tally::allocation_sites_from_json(bytes, "fuzz");
  if (!kept) return 0;
  for (const tally::AllocationSite& site : tally::merged(kept->sites)) {
    std::ignore = tally::place_of(site);
    std::ignore = tally::origin_of(site);
  }
  const auto again = tally::allocation_sites_from_json(tally::to_json(*kept), "fuzz");
  if (!again || *again != *kept) std::abort();
  return 0;
}
