/// Assigns each case to a part of a plan, and states what a part knows of the whole. Pure.
///
/// A case's part follows from a hash of its id alone, so that a new case moves no other; or, where times of an earlier
/// run are given, from those: the longest case first, each to the part that has least to do so far (R. L. Graham,
/// Bounds on Multiprocessing Timing Anomalies, 1969: no part takes more than 4/3 of what the best dealing would).
/// Both depend on nothing but ids, times and the number of parts: any machine deals the same.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

struct Shard {
  int index = 1;  ///< From 1.
  int count = 1;
};

inline constexpr int kMostShards = 1'000'000;

/// "2/4".
Result<Shard> parse_shard(std::string_view text);

/// Seconds that cases took last time, by id.
using LastTimes = std::map<std::string, double>;

/// The part of each case, from 1 to `count`: by the hash of its id.
std::vector<int> deal(std::span<const std::string> ids, int count);

/// The same by `last`. A case that is not in there is taken for as long as the median of those that are (1 s where none
/// is). Equal cases go by id, equal parts by number.
std::vector<int> deal_by_times(std::span<const std::string> ids, int count, const LastTimes& last);

/// What a part says of the plan that it is one of: enough to put all parts together again. Of a merged record, what it
/// was merged from.
struct Part {
  std::optional<int> index;  ///< From 1; empty where several parts were merged.
  int count = 1;             ///< How many parts the plan has.
  std::string digest;        ///< Of the whole plan: its cases, their definitions, and which part has which.
  std::size_t cases = 0;     ///< Of the whole plan.
  std::optional<std::vector<std::size_t>> places;  ///< Of the record's cases in the whole plan, rising; empty: all.
  std::optional<std::vector<int>> missing;         ///< Parts that are not, or not wholly, in what was merged; rising.
  friend bool operator==(const Part&, const Part&) = default;
};

}  // namespace tally
