#include "exchange/import_common.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "base/contains.h"
#include "json/text.h"

namespace tally::exchange {

namespace {

/// Python writes these where JSON has no word. They become texts of theirs: to asv, null and NaN are two things.
std::string without_words_of_python(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_text = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_text && c == '\\' && i + 1 < text.size()) {
      result.append(text.substr(i, 2));
      i += 2;
      continue;
    }
    if (c == '"') in_text = !in_text;
    std::size_t length = 0;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (!in_text && length == 0 && text.substr(i).starts_with(word)) length = word.size();
    }
    if (length > 0) {
      result += fmt::format("\"{}\"", text.substr(i, length));
      i += length;
    } else {
      result += c;
      ++i;
    }
  }
  return result;
}

}  // namespace

Result<json::Value> parsed(const File& file) {
  auto value = json::parse(file.text);
  if (!value) value = json::parse(without_words_of_python(file.text));
  if (!value) {
    Error error = value.error();
    error.kind = ErrorKind::input;
    error.where = error.where.empty() ? file.path : file.path + ": " + error.where;
    return std::unexpected(std::move(error));
  }
  return value;
}

std::unexpected<Error> not_of_format(const File& file, std::string_view wanted) {
  return fail(ErrorKind::input, fmt::format("this is not what {}", wanted), file.path, "see --format in --help");
}

std::optional<double> seconds_of_unit(std::string_view unit) {
  // What one execution is called behind the slash says nothing.
  constexpr auto kOfOne = std::to_array<std::string_view>({"op", "ops", "iter", "iteration", "call", "run", "loop"});
  if (const std::size_t slash = unit.find('/'); slash != std::string_view::npos) {
    if (!contains(kOfOne, unit.substr(slash + 1))) return std::nullopt;
    unit = unit.substr(0, slash);
  }
  static const std::map<std::string_view, double> kUnits = {{"s", 1},
                                                            {"sec", 1},
                                                            {"second", 1},
                                                            {"seconds", 1},
                                                            {"ms", 1e-3},
                                                            {"msec", 1e-3},
                                                            {"millisecond", 1e-3},
                                                            {"milliseconds", 1e-3},
                                                            {"us", 1e-6},
                                                            {"usec", 1e-6},
                                                            {"µs", 1e-6},
                                                            {"μs", 1e-6},
                                                            {"microsecond", 1e-6},
                                                            {"microseconds", 1e-6},
                                                            {"ns", 1e-9},
                                                            {"nsec", 1e-9},
                                                            {"nanosecond", 1e-9},
                                                            {"nanoseconds", 1e-9},
                                                            {"ps", 1e-12},
                                                            {"min", 60},
                                                            {"minutes", 60}};
  const auto found = kUnits.find(unit);
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::string text_at(const json::Value& value, std::string_view key) { return value[key].text_or(""); }

std::optional<double> number_at(const json::Value& value, std::string_view key) {
  const auto number = value[key].number();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::vector<double> numbers_of(const json::Value& list, double scale) {
  std::vector<double> numbers;
  if (list.array() == nullptr) return numbers;
  for (const json::Value& one : *list.array()) {
    if (const auto number = one.number(); number && std::isfinite(*number)) numbers.push_back(*number * scale);
  }
  return numbers;
}

std::string moment_of(double seconds_since_1970) {
  constexpr double kLatest = 253402300799;  // the last second of the year 9999
  if (!(seconds_since_1970 >= 0 && seconds_since_1970 <= kLatest)) return {};
  // Of a time point fmt makes one in nanoseconds, which ends in 2262.
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(static_cast<std::time_t>(seconds_since_1970)));
}

std::string moment_of(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int length = 0;
  const std::string whole(text);
  if (std::sscanf(whole.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
                  &length) != 6)  // NOLINT(cert-err34-c): what is out of range is no date, below
    return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60 || hour < 0 || minute < 0 || second < 0) return {};
  std::string_view zone = text.substr(static_cast<std::size_t>(length));
  if (zone.starts_with('.')) zone.remove_prefix(std::min(zone.find_first_not_of("0123456789", 1), zone.size()));
  int zone_hours = 0;
  int zone_minutes = 0;
  const std::string offset(zone);
  if (zone.starts_with('+') || zone.starts_with('-')) {
    if (std::sscanf(offset.c_str() + 1, "%2d:%2d", &zone_hours, &zone_minutes) < 1) return {};  // NOLINT(cert-err34-c)
  }
  const int sign = zone.starts_with('-') ? 1 : -1;
  const auto moment = std::chrono::sys_days(date) + std::chrono::hours(hour + sign * zone_hours) +
                      std::chrono::minutes(minute + sign * zone_minutes) + std::chrono::seconds(second);
  return moment_of(static_cast<double>(moment.time_since_epoch().count()));
}

}  // namespace tally::exchange
