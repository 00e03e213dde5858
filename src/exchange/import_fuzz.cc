// Fuzzing the readers of other tools' results: the first byte chooses the format.
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "exchange/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = tally::exchange::import_formats();
  const auto& format = formats[data[0] % formats.size()];
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  // Criterion's results are two files, asv's may be.
  const std::size_t half = text.find('\n');
  const std::string first = text.substr(0, half);
  const std::string second = half == std::string::npos ? first : text.substr(half);
  const tally::exchange::File files[] = {{"new/benchmark.json", first}, {"new/sample.json", second}};
  std::ignore = tally::exchange::import_results(format, files, {});
  return 0;
}
