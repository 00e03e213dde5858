/// A profile as it is kept beside a record: compact JSON with its own version. Never touches files.
///
/// { "profile": 1, "iterations": 100, "events": ["Ir"], "totals": [..], "strings": [..],
///   "functions": [[object, file, name], ..], "rows": [[function, file, cost..], ..],
///   "calls": [[row, callee, count, cost..], ..], "call_counts": true, "notes": [..], "lines": {..} }
/// Numbers index the lists before them. Without "call_counts" the counts of calls hold what was called before the
/// region, too: they are read as 0, which is unknown. "lines" (line_costs.h) may be missing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "profile/callgrind.h"
#include "profile/line_costs.h"
#include "profile/profile.h"

namespace tally {

inline constexpr int kProfileSchema = 1;

struct StoredProfile {
  Profile profile;
  std::uint64_t iterations = 1;         ///< Executions of the statement that the counts are of.
  std::optional<LineCosts> lines = {};  ///< Of its source lines, where they were found out.
  friend bool operator==(const StoredProfile&, const StoredProfile&) = default;
};

std::string to_json(const StoredProfile& stored);
Result<StoredProfile> profile_from_json(std::string_view text, const std::string& where);

/// Either form by its first bytes: Callgrind's or ours.
Result<StoredProfile> read_profile(std::string_view bytes, std::string where);

/// The same of a file that comes in pieces of any size. Of Callgrind's text nothing is kept but what it says.
class StoredProfileReader {
 public:
  void feed(std::string_view piece);
  /// Once, at the end.
  Result<StoredProfile> finish(std::string where);
  /// All of it where it is not a Callgrind file.
  [[nodiscard]] const std::string& json() const { return json_; }

 private:
  std::string json_;  ///< Or the first bytes, as long as they do not say what it is.
  std::optional<CallgrindReader> callgrind_;
};

/// Without strings and functions that nothing refers to, and in a fixed order: equal contents give equal text.
Profile compacted(const Profile& profile);

}  // namespace tally
