#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#define TOML_EXCEPTIONS 0  // As in definition: one program must not hold both kinds.
#include <toml++/toml.h>

#include "base/text.h"
#include "comparison/check.h"

namespace tally {
namespace {

constexpr std::array<std::string_view, 5> keys = {"case", "metric", "up_to", "reason", "expires"};

bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

Result<Acceptance> read_entry(const toml::table& table, const std::string& where) {
  for (const auto& [key, value] : table) {
    if (std::ranges::find(keys, key.str()) == keys.end()) {
      const std::string near = nearest(key.str(), keys);
      return fail(
          ErrorKind::input, fmt::format("unknown key '{}'", key.str()), where,
          near.empty() ? "the keys are case, metric, up_to, reason and expires" : "did you mean '" + near + "'?");
    }
  }
  Acceptance accepted;
  accepted.where = where;
  const auto text = [&table](std::string_view key) {
    if (const auto value = table[key].value<std::string>()) return *value;
    if (const auto date = table[key].value<toml::date>()) {
      std::ostringstream out;
      out << *date;
      return out.str();
    }
    return std::string();
  };
  for (const std::string_view key : keys) {
    if (trim(text(key)).empty()) {
      return fail(ErrorKind::input, fmt::format("'{}' is missing or empty", key), where,
                  "an accepted regression needs case, metric, up_to, reason and expires");
    }
  }
  accepted.cases = text("case");
  accepted.reason = text("reason");
  accepted.expires = text("expires");
  if (!is_date(accepted.expires)) {
    return fail(ErrorKind::input, fmt::format("'{}' is not a date", accepted.expires), where,
                "write expires = \"2026-03-01\"");
  }
  const Result<Limit> limit = parse_limit(text("metric") + "=" + text("up_to"));
  if (!limit || !limit->relative) {
    return fail(ErrorKind::input, limit ? "up_to must be a percentage" : limit.error().message, where,
                "write up_to = \"+5%\"");
  }
  accepted.metric = limit->metric;
  accepted.up_to = limit->value;
  return accepted;
}

}  // namespace

Result<std::vector<Acceptance>> parse_accept_file(std::string_view text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorKind::input, std::string(error.description()),
                fmt::format("{}:{}:{}", path, error.source().begin.line, error.source().begin.column), "mend the TOML");
  }
  const toml::table& root = parsed.table();
  std::vector<Acceptance> accepted;
  for (const auto& [key, value] : root) {
    const toml::array* entries = value.as_array();
    if (key.str() != "accept" || entries == nullptr || !entries->is_array_of_tables()) {
      return fail(ErrorKind::input, fmt::format("'{}' is not known here", key.str()),
                  fmt::format("{}:{}", path, value.source().begin.line), "write [[accept]] tables");
    }
    for (const auto& entry : *entries) {
      const toml::table* table = entry.as_table();
      Result<Acceptance> one = read_entry(*table, fmt::format("{}:{}", path, table->source().begin.line));
      if (!one) return std::unexpected(one.error());
      accepted.push_back(std::move(*one));
    }
  }
  return accepted;
}

}  // namespace tally
