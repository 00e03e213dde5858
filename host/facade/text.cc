#include "text.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>

TALLYMARK_FACADE_BEGIN

namespace internal {

namespace {

constexpr const char* kLarge[] = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
constexpr const char* kLargeBinary[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
constexpr const char* kSmall[] = {"m", "u", "n", "p", "f", "a", "z", "y"};
/// Down to here a number is shown without a prefix.
constexpr double kPlainFrom = 0.01;

std::string digits(double value) { return formatted("%g", value); }

}  // namespace

std::string formatted(const char* format, ...) {
  va_list values;
  va_start(values, format);
  va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  va_end(values);
  std::string text(static_cast<std::size_t>(length > 0 ? length : 0) + 1, 0);
  std::vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  text.pop_back();
  return text;
}

std::string with_prefix(double value, Counter::OneK base) {
  const double factor = base == Counter::kIs1024 ? 1024 : 1000;
  const double size = std::fabs(value);
  double scaled = value;
  if (size > factor - 1) {
    for (const char* prefix : base == Counter::kIs1024 ? kLargeBinary : kLarge) {
      scaled /= factor;
      if (std::fabs(scaled) <= factor - 1) return digits(scaled) + prefix;
    }
  } else if (size < kPlainFrom) {
    for (const char* prefix : kSmall) {
      scaled *= factor;
      if (std::fabs(scaled) >= 1) return digits(scaled) + prefix;
    }
  }
  return digits(value);
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &parts);
  std::string all(text, length);
  // +0100 is +01:00 there.
  if (length > 2) all.insert(length - 2, ":");
  return all;
}

}  // namespace internal

TALLYMARK_FACADE_END
