/// A day of the calendar, as files and people write it: "2026-03-01".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tally {

/// Nothing where it is not ten characters of that form, or there is no such day.
std::optional<std::chrono::sys_days> parse_date(std::string_view text);

std::string to_string(std::chrono::sys_days day);

}  // namespace tally
