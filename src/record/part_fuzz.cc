// What a merge reads of a part, it reads without the reader of records: it must take nothing that is no JSON, and pass
// cases on as JSON.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "record/part_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto part = tally::read_part(bytes, "fuzz");
  if (!part) return 0;
  if (!nlohmann::json::accept(bytes)) std::abort();
  for (const tally::CaseText& one : part->cases) {
    const std::string_view text = bytes.substr(one.offset, one.bytes);
    tally::CasePlace place{.machine = 7, .environment = "an environment", .profile = {}};
    if (one.profile) place.profile = "a/profile.json";
    const auto passed = nlohmann::json::parse(tally::placed(text, one, place), nullptr, false);
    if (passed.is_discarded() || passed.value("machine", 0) != 7 ||
        passed.value("environment", "") != place.environment)
      std::abort();
    if (one.profile && passed.value("profile", "") != place.profile) std::abort();
  }
  return 0;
}
