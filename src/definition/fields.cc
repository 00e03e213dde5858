#include "definition/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/contains.h"
#include "base/text.h"

namespace tally {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

/// A number with one of the units, in the smallest unit; nothing when it is not one or does not fit.
std::optional<std::uint64_t> quantity(std::string_view text, std::span<const Unit> units) {
  text = trim(text);
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !(number > 0)) return std::nullopt;
  const std::string_view name = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  const double value = number * static_cast<double>(unit->size);
  if (!(value >= 1) || value > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(value));
}

}  // namespace

std::string key_suggestion(std::string_view key, std::span<const std::string_view> known) {
  if (const std::string near = nearest(key, known); !near.empty()) return fmt::format("did you mean '{}'?", near);
  return fmt::format("known are {}", fmt::join(known, ", "));
}

Fields::Fields(const TomlNode& table, std::string what, std::span<const std::string_view> keys)
    : table_(table), what_(std::move(what)) {
  if (table.kind != TomlNode::Kind::table) {
    refuse({ErrorKind::input,
            fmt::format("{} must be a table, not {} ({})", what_, describe(table.kind), table.written),
            describe(table.at), fmt::format("its keys are {}", fmt::join(keys, ", "))});
    return;
  }
  for (const TomlEntry& entry : table.entries) {
    if (contains(keys, entry.key)) continue;
    refuse({ErrorKind::input, fmt::format("unknown key '{}' in {}", entry.key, what_), describe(entry.at),
            key_suggestion(entry.key, keys)});
  }
}

const TomlNode* Fields::find(std::string_view key) const {
  const auto found = std::ranges::find(table_.entries, key, &TomlEntry::key);
  return found == table_.entries.end() ? nullptr : &found->value;
}

SourcePosition Fields::place(std::string_view key) const {
  const TomlNode* node = find(key);
  return node == nullptr ? SourcePosition{} : node->at;
}

void Fields::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

void Fields::refuse(const Status& status) {
  if (!status) refuse(status.error());
}

Status Fields::status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

void Fields::wrong_type(std::string_view key, const TomlNode& node, std::string_view wanted, std::string_view example) {
  refuse({ErrorKind::input, fmt::format("'{}' must be {}, not {} ({})", key, wanted, describe(node.kind), node.written),
          describe(node.at), fmt::format("write {} = {}", key, example)});
}

Snippet Fields::snippet(std::string_view key) {
  const TomlNode* node = find(key);
  if (node == nullptr) return {};
  if (node->kind != TomlNode::Kind::string) {
    wrong_type(key, *node, "a string", "'…'");
    return {};
  }
  return {node->text, node->text_at};
}

std::string Fields::string(std::string_view key) { return snippet(key).text; }

std::vector<std::string> Fields::strings(std::string_view key) {
  const TomlNode* node = find(key);
  if (node == nullptr) return {};
  if (node->kind == TomlNode::Kind::string) return {node->text};
  std::vector<std::string> result;
  if (node->kind != TomlNode::Kind::array) wrong_type(key, *node, "an array of strings", "[\"…\"]");
  for (const TomlNode& item : node->items) {
    if (item.kind != TomlNode::Kind::string) wrong_type(key, item, "an array of strings", "[\"…\"]");
    result.push_back(item.text);
  }
  return result;
}

bool Fields::boolean(std::string_view key) {
  const TomlNode* node = find(key);
  if (node == nullptr) return false;
  if (node->kind != TomlNode::Kind::boolean) wrong_type(key, *node, "true or false", "true");
  return node->boolean;
}

std::vector<int> Fields::integers(std::string_view key) {
  const TomlNode* node = find(key);
  if (node == nullptr) return {};
  std::vector<int> result;
  const auto take = [&](const TomlNode& item) {
    if (item.kind != TomlNode::Kind::integer) {
      wrong_type(key, item, "a whole number or an array of them", "[1, 2]");
    } else {
      result.push_back(static_cast<int>(
          std::clamp<std::int64_t>(item.integer, std::numeric_limits<int>::min(), std::numeric_limits<int>::max())));
    }
  };
  if (node->kind != TomlNode::Kind::array) {
    take(*node);
  } else if (node->items.empty()) {
    refuse({ErrorKind::input, fmt::format("'{}' is an empty array", key), describe(node->at),
            fmt::format("write {} = 1, or leave it out", key)});
  }
  for (const TomlNode& item : node->items) take(item);
  return result;
}

std::optional<std::uint64_t> Fields::positive(std::string_view key) {
  const TomlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind == TomlNode::Kind::integer && node->integer > 0) return static_cast<std::uint64_t>(node->integer);
  refuse({ErrorKind::input, fmt::format("'{}' must be a whole number of at least 1, not {}", key, node->written),
          describe(node->at), fmt::format("write {} = 8", key)});
  return std::nullopt;
}

std::optional<std::uint64_t> Fields::up_to(std::string_view key, std::uint64_t most) {
  const TomlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  const bool whole = node->kind == TomlNode::Kind::integer && node->integer >= 0;
  if (whole && static_cast<std::uint64_t>(node->integer) <= most) return static_cast<std::uint64_t>(node->integer);
  refuse({ErrorKind::input, fmt::format("'{}' must be a whole number from 0 to {}, not {}", key, most, node->written),
          describe(node->at), fmt::format("write {} = 2", key)});
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> Fields::duration(std::string_view key) {
  constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}};
  const TomlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = quantity(node->text, kUnits)) return std::chrono::milliseconds(*value);
  refuse({ErrorKind::input, fmt::format("'{}' must be a time with its unit, not {}", key, node->written),
          describe(node->at), fmt::format("write {} = \"500 ms\", \"30 s\" or \"2 min\"", key)});
  return std::nullopt;
}

std::optional<double> Fields::share(std::string_view key) {
  const TomlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::string_view text = trim(node->text);
  double percent = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const std::string_view unit = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  if (code == std::errc() && unit == "%" && percent > 0 && percent <= 100) return percent / 100;
  refuse({ErrorKind::input,
          fmt::format("'{}' must be more than 0 % and at most 100 %, as text, not {}", key, node->written),
          describe(node->at), fmt::format("write {} = \"1 %\" or \"0.5 %\"", key)});
  return std::nullopt;
}

std::optional<std::uint64_t> Fields::bytes(std::string_view key) {
  constexpr Unit kUnits[] = {{"KiB", 1U << 10U}, {"MiB", 1U << 20U}, {"GiB", 1U << 30U}};
  const TomlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = quantity(node->text, kUnits)) return value;
  refuse({ErrorKind::input, fmt::format("'{}' must be a size with its unit, not {}", key, node->written),
          describe(node->at), fmt::format("write {} = \"512 MiB\" or \"2 GiB\"", key)});
  return std::nullopt;
}

}  // namespace tally
