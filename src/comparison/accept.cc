#include "comparison/accept.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/date.h"
#include "base/text.h"
#include "comparison/check.h"
#include "definition/toml_tree.h"

namespace tally {
namespace {

constexpr std::array<std::string_view, 5> kRequired = {"case", "metric", "up_to", "reason", "expires"};
constexpr std::array<std::string_view, 2> kDriftKeys = {"case", "budget"};
constexpr std::array<std::string_view, 8> kKeys = {"case",    "metric", "up_to", "reason",
                                                   "expires", "commit", "owner", "issue"};

bool names(std::string_view cases, std::string_view id) { return cases == id || glob_match(cases, id); }

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

Status only_known(const TomlNode& table, std::span<const std::string_view> known, const std::string& where) {
  for (const TomlEntry& entry : table.entries) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    const std::string near = nearest(entry.key, known);
    const std::vector<std::string> names(known.begin(), known.end());
    return fail(ErrorKind::input, fmt::format("unknown key '{}'", entry.key), where,
                near.empty() ? "the keys are " + join(names, ", ") : "did you mean '" + near + "'?");
  }
  return {};
}

Result<Acceptance> read_entry(const TomlNode& table, const std::string& where) {
  if (const Status known = only_known(table, kKeys, where); !known) return std::unexpected(known.error());
  Acceptance accepted;
  accepted.where = where;
  const auto text = [&table](std::string_view key) { return text_of(table, key); };
  for (const std::string_view key : kRequired) {
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
    return fail(ErrorKind::input, fmt::format("'{}' is not a commit's id", accepted.commit), where,
                "write the id that git log prints, of seven digits at least");
  }
  if (!parse_date(accepted.expires)) {
    return fail(ErrorKind::input, fmt::format("'{}' is not a date", accepted.expires), where,
                "write expires = \"2026-03-01\"");
  }
  const Result<Limit> limit = parse_limit(text("metric") + "=" + text("up_to"));
  if (!limit || limit->kind != Limit::Kind::share) {
    return fail(ErrorKind::input, limit ? "up_to must be a percentage" : limit.error().message, where,
                "write up_to = \"+5%\"");
  }
  accepted.metric = limit->metric;
  accepted.up_to = limit->value;
  return accepted;
}

/// "+2%".
Result<double> read_budget(const std::string& text, const std::string& where) {
  const Result<Limit> limit = parse_limit("instructions=" + text);
  if (limit && limit->kind == Limit::Kind::share) return limit->value;
  return fail(ErrorKind::input, fmt::format("'{}' is not a budget for drift", text), where, "write \"+2%\"");
}

Result<DriftBudget> read_drift(const TomlNode& table, const std::string& where) {
  if (const Status known = only_known(table, kDriftKeys, where); !known) return std::unexpected(known.error());
  DriftBudget drift;
  if (const std::string cases = text_of(table, "case"); !cases.empty()) drift.cases = cases;
  const auto budget = read_budget(text_of(table, "budget"), where);
  if (!budget) return std::unexpected(budget.error());
  drift.budget = *budget;
  return drift;
}

template <typename Entry, typename Read>
Status read_tables(const TomlEntry& entry, const std::string& path, std::vector<Entry>& into, Read read,
                   const std::string& hint) {
  const auto is_table = [](const TomlNode& node) { return node.kind == TomlNode::Kind::table; };
  if (entry.value.kind != TomlNode::Kind::array || !std::ranges::all_of(entry.value.items, is_table)) {
    return fail(ErrorKind::input, fmt::format("'{}' is not known here", entry.key),
                fmt::format("{}:{}", path, entry.at.line), hint);
  }
  for (const TomlNode& table : entry.value.items) {
    auto one = read(table, fmt::format("{}:{}", path, table.at.line));
    if (!one) return std::unexpected(one.error());
    into.push_back(*std::move(one));
  }
  return {};
}

}  // namespace

bool Acceptance::is_about(std::string_view id) const { return names(cases, id); }

bool DriftBudget::is_about(std::string_view id) const { return names(cases, id); }

// The epsilon keeps "+1%" from failing at exactly one percent.
bool Acceptance::allows(double change) const { return change <= up_to + 1e-12; }

Result<AcceptFile> parse_accept_file(std::string_view text, const std::string& path) {
  const Result<TomlNode> root = parse_toml(text, path);
  if (!root) return std::unexpected(root.error());
  AcceptFile file;
  for (const TomlEntry& entry : root->entries) {
    if (entry.key == "drift" && entry.value.kind == TomlNode::Kind::string) {
      const auto budget = read_budget(entry.value.text, fmt::format("{}:{}", path, entry.at.line));
      if (!budget) return std::unexpected(budget.error());
      file.drift.push_back({.budget = *budget});
      continue;
    }
    const Status read =
        entry.key == "accept"  ? read_tables(entry, path, file.accepted, read_entry, "write [[accept]] tables")
        : entry.key == "drift" ? read_tables(entry, path, file.drift, read_drift,
                                             "write drift = \"+2%\" above all tables, or [[drift]] tables")
                               : Status(fail(ErrorKind::input, fmt::format("'{}' is not known here", entry.key),
                                             fmt::format("{}:{}", path, entry.at.line),
                                             "write [[accept]] tables, or drift = \"+2%\" above them"));
    if (!read) return std::unexpected(read.error());
  }
  return file;
}

const Acceptance* covering(const AcceptFile& file, const Acceptance& one) {
  const auto found = std::ranges::find_if(file.accepted, [&](const Acceptance& known) {
    const bool of_its_commit = known.commit.empty() || (!one.commit.empty() && one.commit.starts_with(known.commit));
    return known.metric == one.metric && known.is_about(one.cases) && of_its_commit && known.allows(one.up_to) &&
           known.holds_on(one.expires);
  });
  return found == file.accepted.end() ? nullptr : &*found;
}

}  // namespace tally
