#include "trace/number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tally::trace {
namespace {

/// Eight digits at `text`, at once; nothing where there is another character among them. Three steps that each join
/// neighbours: digits to pairs, pairs to fours, fours to the whole.
std::optional<std::uint64_t> eight_digits(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, 8);
  if constexpr (std::endian::native != std::endian::little) return std::nullopt;
  bytes -= 0x3030'3030'3030'3030;
  if (((bytes | (bytes + 0x7676'7676'7676'7676)) & 0x8080'8080'8080'8080) != 0) return std::nullopt;
  bytes = bytes * 10 + (bytes >> 8);
  constexpr std::uint64_t fours = 0x0000'00FF'0000'00FF;
  return ((bytes & fours) * 0x000F'4240'0000'0064 + (bytes >> 16 & fours) * 0x0000'2710'0000'0001) >> 32;
}

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Any number of digits with an exponent: the significant digits as text, shifted by whole powers of ten.
std::optional<Nanoseconds> slow_nanoseconds(std::string_view text, bool negative) {
  std::uint64_t value = 0;
  int digits = 0, exponent = 3;  // microseconds to nanoseconds
  bool point = false, any = false, round_up = false, dropped = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (digits == 0 && c == '0') {
      exponent -= point ? 1 : 0;
    } else if (digits < 19) {
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      ++digits;
      exponent -= point ? 1 : 0;
    } else {
      if (!dropped) round_up = c >= '5';
      dropped = true;
      exponent += point ? 0 : 1;
    }
    if (exponent > 1000 || exponent < -1'000'000) return std::nullopt;
  }
  if (!any || text[i - 1] == '.') return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    int power = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), power);
    if (error != std::errc() || power > 1'000'000 || power < -1'000'000) return std::nullopt;
    exponent += power;
    i = static_cast<std::size_t>(end - text.data());
  }
  if (i != text.size()) return std::nullopt;
  if (value == 0) return 0;
  for (; exponent > 0; --exponent) {
    if (value > static_cast<std::uint64_t>(latest_time) / 10) return std::nullopt;
    value *= 10;
    round_up = false;
  }
  for (; exponent < 0 && value != 0; ++exponent) {
    round_up = value % 10 >= 5;
    value /= 10;
  }
  if (exponent < 0) round_up = false;
  if (round_up) ++value;
  if (value > static_cast<std::uint64_t>(latest_time)) return std::nullopt;
  return negative ? -static_cast<Nanoseconds>(value) : static_cast<Nanoseconds>(value);
}

}  // namespace

std::optional<Nanoseconds> nanoseconds(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  // The usual spelling: at most 15 whole digits (31 years of microseconds are 15; today's clock needs 16) and 3
  // decimals.
  std::uint64_t value = 0;
  std::size_t i = 0;
  while (i < 16 && text.size() - i >= 8) {
    const auto block = eight_digits(text.data() + i);
    if (!block) break;
    value = value * 100'000'000 + *block;
    i += 8;
  }
  while (i < text.size() && i < 16 && is_digit(text[i]))
    value = value * 10 + static_cast<std::uint64_t>(text[i++] - '0');
  if (i == 0 || (i == 16 && i < text.size() && is_digit(text[i]))) return slow_nanoseconds(text, negative);
  int decimals = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (i < text.size() && decimals < 3 && is_digit(text[i])) {
      value = value * 10 + static_cast<std::uint64_t>(text[i++] - '0');
      ++decimals;
    }
    if (decimals == 0) return slow_nanoseconds(text, negative);
  }
  if (i != text.size()) return slow_nanoseconds(text, negative);
  for (; decimals < 3; ++decimals) value *= 10;
  if (value > static_cast<std::uint64_t>(latest_time)) return std::nullopt;
  return negative ? -static_cast<Nanoseconds>(value) : static_cast<Nanoseconds>(value);
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (!rest.empty()) {
    if (rest[0] != '.' || rest.find_first_not_of('0', 1) != std::string_view::npos) return std::nullopt;
  }
  return value;
}

std::optional<double> real_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace tally::trace
