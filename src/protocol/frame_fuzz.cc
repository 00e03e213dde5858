// Any bytes: a frame is refused or all of its fields can be read.
#include <cstdint>

#include "protocol/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tally::protocol;
  const Parsed parsed = parse_frame({reinterpret_cast<const char*>(data), size});
  if (parsed.state != ParseState::complete) return 0;
  for (std::uint16_t tag = 0; tag < 64; ++tag) {
    const auto field = static_cast<Field>(tag);
    const std::size_t count = parsed.message.count(field);
    if (count > 0 && !parsed.message.nth(field, count - 1)) __builtin_trap();
    (void)parsed.message.number(field);
  }
  return 0;
}
