// The reader must stand any bytes, give the same in one piece as in two, and never count more than is there; lines lose
// nothing.
#include <cstdlib>

#include "profile/call_tree.h"
#include "profile/callgrind.h"
#include "profile/instruction_costs.h"
#include "profile/line_attribution.h"

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
  const auto costs = tally::parse_instruction_costs(bytes);
  const auto odd = [](const std::string&, std::uint64_t address) -> std::optional<tally::CodeLine> {
    if (address % 3 == 0) return std::nullopt;
    return tally::CodeLine{{.file = "a", .line = address % 16}, address % 3 == 1};
  };
  if (costs && tally::attributed(*costs, odd).total() != costs->total) std::abort();
  return 0;
}
