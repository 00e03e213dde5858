#include "trace/number.h"

#include <charconv>
#include <cmath>

#include "base/digits.h"
#include "base/short_text.h"

namespace tally::trace {
namespace {

constexpr std::uint64_t kPowersOfTen[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

/// Puts at most eight digits at `at` behind those of `value` and steps over them; returns how many.
[[gnu::always_inline]] inline int take_digits(const char*& at, const char* end, std::uint64_t& value) {
  const auto left = static_cast<std::size_t>(end - at);
  const std::uint64_t values = digit_values(left >= 8 ? load_word(at) : short_word({at, left}));
  const int digits = leading_digits(values);
  if (digits == 0) return 0;
  value = value * kPowersOfTen[digits] + joined_digits(values << (64 - 8 * digits));
  at += digits;
  return digits;
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
    if (value > static_cast<std::uint64_t>(kLatestTime) / 10) return std::nullopt;
    value *= 10;
    round_up = false;
  }
  for (; exponent < 0 && value != 0; ++exponent) {
    round_up = value % 10 >= 5;
    value /= 10;
  }
  if (exponent < 0) round_up = false;
  if (round_up) ++value;
  if (value > static_cast<std::uint64_t>(kLatestTime)) return std::nullopt;
  return negative ? -static_cast<Nanoseconds>(value) : static_cast<Nanoseconds>(value);
}

}  // namespace

std::optional<Nanoseconds> nanoseconds(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  // The usual spelling: at most 16 whole digits (today's clock in microseconds has 16) and 3 decimals.
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t value = 0;
  int whole = take_digits(at, end, value);
  if (whole == 8) whole += take_digits(at, end, value);
  if (whole == 0) return slow_nanoseconds(text, negative);
  std::uint64_t thousandths = 0;
  if (at != end) {
    if (*at != '.') return slow_nanoseconds(text, negative);
    const int decimals = take_digits(++at, end, thousandths);
    if (decimals == 0 || decimals > 3 || at != end) return slow_nanoseconds(text, negative);
    thousandths *= kPowersOfTen[3 - decimals];
  }
  value = value * 1'000 + thousandths;
  if (value > static_cast<std::uint64_t>(kLatestTime)) return std::nullopt;
  return negative ? -static_cast<Nanoseconds>(value) : static_cast<Nanoseconds>(value);
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  if (take_digits(at, end, value) == 0) return std::nullopt;
  if (at == end) return value;
  const auto [behind, error] = std::from_chars(begin, end, value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(behind, end);
  if (!rest.empty()) {
    if (rest[0] != '.' || rest.find_first_not_of('0', 1) != std::string_view::npos) return std::nullopt;
  }
  return value;
}

std::optional<double> real_number(std::string_view text) {
  // Up to 15 digits a number and the power of ten below it are doubles, and their quotient is rounded once, as it
  // should be.
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  std::uint64_t digits = 0;
  if (take_digits(at, end, digits) > 0) {
    if (at == end) return static_cast<double>(digits);
    if (*at == '.') {
      const int decimals = take_digits(++at, end, digits);
      if (decimals > 0 && decimals < 8 && at == end)
        return static_cast<double>(digits) / static_cast<double>(kPowersOfTen[decimals]);
    }
  }
  double value = 0;
  const auto [behind, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || behind != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace tally::trace
