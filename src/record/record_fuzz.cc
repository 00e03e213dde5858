// The reader of records must stand any bytes, and what it accepts must come back as it was written.
#include <cstdlib>

#include "record/json.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto record = tally::record_from_json(bytes, "fuzz")) {
    const std::string text = tally::to_json(*record);
    const auto again = tally::record_from_json(text, "fuzz");
    if (!again || tally::to_json(*again) != text) std::abort();
  }
  if (const auto one = tally::case_from_json(bytes, "fuzz")) {
    const std::string text = tally::case_to_json(*one);
    const auto again = tally::case_from_json(text, "fuzz");
    if (!again || tally::case_to_json(*again) != text) std::abort();
  }
  return 0;
}
