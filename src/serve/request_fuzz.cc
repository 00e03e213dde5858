// Requests from whoever connects: parsed or refused, never more. A document's suite is read as far as it goes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "definition/read_suite.h"
#include "serve/request.h"
#include "serve/suite_of.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  std::ignore = tally::serve::passed_bytes(line);
  const auto parsed = tally::serve::parse_request(line);
  if (!parsed.request) return 0;
  const auto* measure = std::get_if<tally::serve::MeasureRequest>(&*parsed.request);
  if (measure == nullptr || !measure->suite.document) return 0;
  const auto none = [](const std::string&) -> tally::Result<std::string> {
    return tally::fail(tally::ErrorKind::missing, "no file");
  };
  std::ignore = tally::parse_suite(tally::serve::tree_of(*measure->suite.document, "suite"), "suite", none);
  return 0;
}
