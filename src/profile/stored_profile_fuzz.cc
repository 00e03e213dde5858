// The reader of kept profiles must stand any bytes, and what it accepts must come back as it was written.
#include <cstdlib>

#include "profile/call_tree.h"
#include "profile/function_counts.h"
#include "profile/store.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)tally::read_profile(bytes, "fuzz");
  const auto stored = tally::profile_from_json(bytes, "fuzz");
  if (!stored) return 0;
  const std::string text = tally::to_json(*stored);
  const auto again = tally::profile_from_json(text, "fuzz");
  if (!again || tally::to_json(*again) != text) std::abort();
  if (!again->profile.events.empty()) {
    (void)tally::call_tree(again->profile, 0, {});
  }
  return 0;
}
