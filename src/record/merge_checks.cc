#include "record/merge_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "record/json.h"

namespace tally {
namespace {

std::unexpected<Error> refuse(const PartText& a, const PartText& b, const std::string& what, const std::string& hint) {
  return fail(ErrorKind::input, fmt::format("cannot be merged with {}: {}", a.name, what), b.name, hint);
}

/// Without what parts may differ in.
RecordedSettings without_limits(RecordedSettings settings) {
  settings.host_start.reset();
  settings.timeout_s.reset();
  settings.host_timeout_s.reset();
  settings.max_wait_s.reset();
  settings.memory_bytes.reset();
  settings.retries.reset();
  return settings;
}

/// "iterations: 100 and 10", the first that differs.
std::string difference(const RecordedSettings& a, const RecordedSettings& b) {
  const auto mine = nlohmann::json::parse(settings_to_json(without_limits(a)));
  const auto theirs = nlohmann::json::parse(settings_to_json(without_limits(b)));
  const auto text = [](const nlohmann::json& settings, const std::string& key) {
    return settings.contains(key) ? settings.at(key).dump() : std::string("none");
  };
  std::set<std::string> keys;
  for (const auto& [key, value] : mine.items()) keys.insert(key);
  for (const auto& [key, value] : theirs.items()) keys.insert(key);
  for (const std::string& key : keys) {
    if (text(mine, key) != text(theirs, key))
      return fmt::format("{}: {} and {}", key, text(mine, key), text(theirs, key));
  }
  return {};
}

/// "commit 1a2b3c4d5e6f and changes that are not committed"
std::string commit_text(const std::optional<Source>& source) {
  if (!source) return "no known commit";
  return fmt::format("commit {}{}", source->commit.substr(0, 12),
                     source->dirty ? " and changes that are not committed" : "");
}

Status check_pair(const PartText& a, const PartText& b) {
  const Part& mine = *a.head.part;
  const Part& theirs = *b.head.part;
  if (mine.count != theirs.count) {
    return refuse(a, b, fmt::format("one is of {} parts, the other of {}", mine.count, theirs.count),
                  "measure all parts with the same --shard …/n");
  }
  if (mine.digest != theirs.digest || mine.cases != theirs.cases) {
    return refuse(a, b,
                  fmt::format("they are parts of different plans ({}, {} cases; {}, {} cases)",
                              mine.digest.substr(0, 8), mine.cases, theirs.digest.substr(0, 8), theirs.cases),
                  "measure all parts of the same suite, with the same --filter, --exclude and --balance");
  }
  if (a.head.source != b.head.source) {
    return refuse(
        a, b,
        fmt::format("one was measured at {}, the other at {}", commit_text(a.head.source), commit_text(b.head.source)),
        "measure all parts at the same commit, with no changes beside it");
  }
  if (a.head.tool != b.head.tool) {
    return refuse(a, b,
                  fmt::format("one was measured by tally {} ({}), the other by {} ({})", a.head.tool.version,
                              a.head.tool.commit, b.head.tool.version, b.head.tool.commit),
                  "measure all parts with the same tally");
  }
  if (const std::string other = difference(a.head.settings, b.head.settings); !other.empty())
    return refuse(a, b, "they were measured with different settings: " + other,
                  "measure all parts with the same options");
  return {};
}

/// The values that replicates had, however many there were of each.
std::set<std::uint64_t> values_of(const std::vector<std::uint64_t>& replicates) {
  return {replicates.begin(), replicates.end()};
}

}  // namespace

Status check_parts(const std::vector<PartText>& inputs) {
  if (inputs.empty()) return fail(ErrorKind::input, "there is nothing to merge");
  for (const PartText& input : inputs) {
    if (!input.head.part) {
      return fail(ErrorKind::input, "is the record of a whole run, not of a part of one", input.name,
                  "give records that `tally run --shard i/n --json FILE` wrote");
    }
    if (Status fine = check_pair(inputs.front(), input); !fine) return fine;
  }
  return {};
}

void drop_different_limits(Settings& settings, const Settings& other) {
  const auto drop = [](auto& mine, const auto& theirs) {
    if (mine != theirs) mine.reset();
  };
  drop(settings.timeout_s, other.timeout_s);
  drop(settings.host_timeout_s, other.host_timeout_s);
  drop(settings.max_wait_s, other.max_wait_s);
  drop(settings.memory_bytes, other.memory_bytes);
  drop(settings.retries, other.retries);
}

bool counts_agree(const Counts& a, const Counts& b) {
  return a.iterations == b.iterations && a.events == b.events && values_of(a.replicates) == values_of(b.replicates) &&
         values_of(a.baseline_replicates) == values_of(b.baseline_replicates);
}

}  // namespace tally
