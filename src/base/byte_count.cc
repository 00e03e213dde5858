#include "base/byte_count.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace tally {

Result<std::uint64_t> parse_bytes(const std::string& text, const std::string& where) {
  const std::string_view words = trim(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  const std::string_view unit = trim(words.substr(static_cast<std::size_t>(end - words.data())));
  int shift = -1;
  if (unit.empty()) shift = 0;
  if (unit == "K" || unit == "KB" || unit == "KiB") shift = 10;
  if (unit == "M" || unit == "MB" || unit == "MiB") shift = 20;
  if (unit == "G" || unit == "GB" || unit == "GiB") shift = 30;
  if (error != std::errc{} || shift < 0 || value == 0 || value > (~std::uint64_t{0} >> static_cast<unsigned>(shift))) {
    return fail(ErrorKind::input, fmt::format("'{}' is not an amount of memory", text), where,
                "write bytes, or a number with K, M or G: 512M");
  }
  return value << static_cast<unsigned>(shift);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKi = 1024;
  const auto value = static_cast<double>(bytes);
  if (bytes < kKi) return fmt::format("{} bytes", bytes);
  if (bytes < kKi * kKi) return fmt::format("{:.0f} KiB", value / kKi);
  if (bytes < kKi * kKi * kKi) return fmt::format("{:.1f} MiB", value / kKi / kKi);
  return fmt::format("{:.2f} GiB", value / kKi / kKi / kKi);
}

}  // namespace tally
