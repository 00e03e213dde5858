/// JSON as text: what a library reads and how we write.
///
/// Bytes that are no UTF-8 are written as replacement characters, numbers that JSON has no word for as null; so writing
/// never fails.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "json/value.h"

namespace tally::json {

/// Real documents do not nest deeper, and code may walk through values by recursion.
inline constexpr int kMostLevels = 200;

/// A whole document; of a key that stands twice, the last value. The error says where the text stops being JSON; it has
/// no place of its own.
Result<Value> parse(std::string_view text);

/// In one line, or, with an indentation, with each element on a line of its own.
std::string to_text(const Value& value, int indentation = -1);

}  // namespace tally::json
