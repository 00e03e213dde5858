// Any bytes as a suite: the reader ends with a suite or one error, never with a crash, and its includes end.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "definition/read_suite.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // An include gives the second half of the input, so that files that include files are reached too.
  const tally::IncludeResolver resolve = [&](const std::string&) -> tally::Result<std::string> {
    return std::string(bytes.substr(bytes.size() / 2));
  };
  const tally::Result<tally::Suite> suite = tally::parse_suite(bytes, "suite.toml", resolve);
  // An error that says nothing, or not where, is a mistake of ours.
  if (!suite && (suite.error().message.empty() || suite.error().where.empty())) __builtin_trap();
  return 0;
}
