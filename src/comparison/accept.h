/// The accept file, tally-accept.toml: which regressions were acknowledged, by whom and until when, and how far counts
/// may drift. `tally check` and `tally history` read it; `tally history accept` appends to it. Pure; days are
/// arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "comparison/metric.h"

namespace tally {

/// At the top of a repository.
inline constexpr const char* kAcceptFile = "tally-accept.toml";

/// A regression that was acknowledged.
struct Acceptance {
  std::string cases;  ///< An id, or a glob over ids.
  Metric metric = Metric::instructions;
  double up_to = 0;  ///< Relative.
  std::string reason;
  std::string expires;  ///< "2026-03-01": the last day it holds.
  std::string
      commit;  ///< Whose change in a history it is about: its id, or the first seven digits or more; may be empty.
  std::string owner;  ///< Who answers for it; may be empty.
  std::string issue;  ///< Where it is discussed; may be empty.
  std::string where;  ///< "file:line"

  /// Ids have brackets, and a glob takes them for a choice of letters: so an id is its own name, too.
  [[nodiscard]] bool is_about(std::string_view id) const;
  [[nodiscard]] bool allows(double change) const;
  /// `today` as "2026-01-31".
  [[nodiscard]] bool holds_on(std::string_view today) const { return expires >= today; }
};

/// What changes below the threshold may add up to.
struct DriftBudget {
  std::string cases = "*";  ///< An id, or a glob over ids.
  double budget = 0;        ///< Relative.

  [[nodiscard]] bool is_about(std::string_view id) const;
};

struct AcceptFile {
  std::vector<Acceptance> accepted;
  std::vector<DriftBudget> drift;  ///< In the file's order; of several the last that matches counts.
};

/// TOML: [[accept]] with case, metric, up_to ("+5%"), reason and expires, all required, and commit, owner and issue;
/// drift = "+2%", or [[drift]] with case and budget.
Result<AcceptFile> parse_accept_file(std::string_view text, const std::string& path);

/// What in the file agrees to all that `one` would, for as long; or null.
const Acceptance* covering(const AcceptFile& file, const Acceptance& one);

/// `text` of an accept file and the entry below it, which reads as it was meant whatever its texts hold; what stood
/// there stands there as it did. Errors (input): the file cannot be read, or the entry cannot be written into it (its
/// text is not UTF-8, the file has `accept` in another form).
Result<std::string> with_acceptance(std::string_view text, const Acceptance& one, const std::string& path);

}  // namespace tally
