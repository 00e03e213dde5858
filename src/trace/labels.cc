#include "trace/labels.h"

#include <charconv>
#include <optional>

namespace tally::trace {
namespace {

std::optional<long long> as_number(const std::string& label) {
  long long value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
  return value;
}

}  // namespace

bool label_before(const std::string& a, const std::string& b) {
  const auto x = as_number(a), y = as_number(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  return x && *x != *y ? *x < *y : a < b;
}

}  // namespace tally::trace
