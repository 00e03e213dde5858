#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "comparison/check.h"

namespace tally {
namespace {

std::unexpected<Error> bad_limit(std::string_view text, std::string_view why) {
  return fail(ErrorKind::input, fmt::format("limit '{}': {}", text, why), {},
              "write METRIC=+PERCENT%, METRIC=+AMOUNT or METRIC=CEILING, such as instructions=+1%, instructions=+500, "
              "allocations=12, time=2us");
}

/// The number in front; the rest is left in `text`.
bool take_value(std::string_view& text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text = trim(text);
  return true;
}

bool scale_of(std::string_view unit, Metric metric, double& scale) {
  if (!is_time(metric)) return unit.empty();
  constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}}};
  for (const auto& [name, factor] : units) {
    if (unit == name) {
      scale = factor;
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Limit> parse_limit(std::string_view text) {
  Limit limit;
  limit.text = text;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return bad_limit(text, "no '='");
  const std::string_view name = trim(text.substr(0, equals));
  const std::optional<Metric> known = metric_named(name);
  if (!known) {
    const std::string near = nearest(name, metric_names());
    return bad_limit(text,
                     fmt::format("unknown metric '{}'{}", name, near.empty() ? "" : ", did you mean '" + near + "'?"));
  }
  limit.metric = *known;
  std::string_view rest = trim(text.substr(equals + 1));
  const bool plus = rest.starts_with('+');
  if (!take_value(rest, limit.value)) return bad_limit(text, "no number, 0 or more, after '='");
  if (rest == "%") {
    limit.value /= 100;
    return limit;
  }
  limit.kind = plus ? Limit::Kind::amount : Limit::Kind::ceiling;
  double scale = 1;
  if (!scale_of(rest, limit.metric, scale)) {
    return bad_limit(text,
                     is_time(limit.metric) ? "a time needs a unit: s, ms, us or ns" : "only % may follow the number");
  }
  limit.value *= scale;
  return limit;
}

Result<Limit> parse_limit_for(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return fail(ErrorKind::input, fmt::format("limit for '{}': no case", text), {},
                "write GLOB:LIMIT, such as 'Indexing/*:instructions=+5%'");
  }
  Result<Limit> limit = parse_limit(text.substr(colon + 1));
  if (limit) limit->cases = text.substr(0, colon);
  return limit;
}

}  // namespace tally
