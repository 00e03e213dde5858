#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "comparison/check.h"
#include "definition/toml_tree.h"

namespace tally {
namespace {

constexpr std::array<std::string_view, 5> required = {"case", "metric", "up_to", "reason", "expires"};
constexpr std::array<std::string_view, 8> keys = {"case",    "metric", "up_to", "reason",
                                                  "expires", "commit", "owner", "issue"};

bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

/// None, or what git log prints of a commit's id.
bool is_commit_prefix(std::string_view text) {
  return text.empty() || (text.size() >= 7 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

/// A string, or what stands there in another form: expires = 2026-03-01 is a date of TOML's.
std::string text_of(const TomlNode& table, std::string_view key) {
  const auto found = std::ranges::find(table.entries, key, &TomlEntry::key);
  if (found == table.entries.end()) return {};
  return found->value.kind == TomlNode::Kind::string ? found->value.text : found->value.written;
}

Result<Acceptance> read_entry(const TomlNode& table, const std::string& where) {
  for (const TomlEntry& entry : table.entries) {
    if (std::ranges::find(keys, entry.key) != keys.end()) continue;
    const std::string near = nearest(entry.key, keys);
    return fail(ErrorKind::input, fmt::format("unknown key '{}'", entry.key), where,
                near.empty() ? "the keys are case, metric, up_to, reason, expires, commit, owner and issue"
                             : "did you mean '" + near + "'?");
  }
  Acceptance accepted;
  accepted.where = where;
  const auto text = [&table](std::string_view key) { return text_of(table, key); };
  for (const std::string_view key : required) {
    if (trim(text(key)).empty()) {
      return fail(ErrorKind::input, fmt::format("'{}' is missing or empty", key), where,
                  "an accepted regression needs case, metric, up_to, reason and expires");
    }
  }
  accepted.cases = text("case");
  accepted.reason = text("reason");
  accepted.expires = text("expires");
  accepted.commit = text("commit");
  accepted.owner = text("owner");
  accepted.issue = text("issue");
  if (!is_commit_prefix(accepted.commit)) {
    return fail(ErrorKind::input, fmt::format("'{}' is no commit's id", accepted.commit), where,
                "write the id that git log prints, of seven digits at least");
  }
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
  const Result<TomlNode> root = parse_toml(text, path);
  if (!root) return std::unexpected(root.error());
  const auto line = [&path](const TomlNode& node) { return fmt::format("{}:{}", path, node.at.line); };
  const auto is_table = [](const TomlNode& node) { return node.kind == TomlNode::Kind::table; };
  std::vector<Acceptance> accepted;
  for (const auto& [key, at, value] : root->entries) {
    const bool tables = value.kind == TomlNode::Kind::array && std::ranges::all_of(value.items, is_table);
    if (key != "accept" || !tables) {
      return fail(ErrorKind::input, fmt::format("'{}' is not known here", key), fmt::format("{}:{}", path, at.line),
                  "write [[accept]] tables");
    }
    for (const TomlNode& table : value.items) {
      Result<Acceptance> one = read_entry(table, line(table));
      if (!one) return std::unexpected(one.error());
      accepted.push_back(std::move(*one));
    }
  }
  return accepted;
}

}  // namespace tally
