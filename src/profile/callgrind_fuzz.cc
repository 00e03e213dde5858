// The reader must stand any bytes, give the same in one piece as in two, and never count more than is there.
#include <cstdlib>

#include "profile/call_tree.h"
#include "profile/callgrind.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = tally::parse_callgrind(bytes);
  tally::CallgrindReader reader;
  reader.feed(bytes.substr(0, size / 2));
  reader.feed(bytes.substr(size / 2));
  const auto halves = reader.finish();
  if (whole.has_value() != halves.has_value()) std::abort();
  if (whole && *whole != *halves) std::abort();
  (void)tally::callgrind_totals(bytes);
  if (whole) (void)tally::call_tree(*whole, 0, {});
  return 0;
}
