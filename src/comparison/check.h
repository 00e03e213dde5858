/// Limits upon a comparison: what may pass, what warns, what fails, and what was agreed to. Pure; the date is an
/// argument.
///
/// A limit is exceeded only by a change that is real: beyond the case's noise floor for counts; for time, when the
/// whole 95 % interval of the ratio lies beyond the limit. Under a changed environment an exceeded limit warns and no
/// more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "comparison/accept.h"
#include "comparison/comparison.h"
#include "comparison/metric.h"

namespace tally {

struct Limit {
  Metric metric = Metric::instructions;
  std::string cases = "*";  ///< Glob over ids.
  bool relative = true;     ///< "+1%"; otherwise a ceiling for the new value, per iteration: "5000", "2us".
  double value = 0.01;      ///< A share, or instructions, seconds, … per iteration.
  bool soft = false;        ///< Warns instead of failing.
  std::string text;         ///< As the user wrote it.
};

/// "instructions=+1%", "time=+10%", "allocations=12", "time=2us".
Result<Limit> parse_limit(std::string_view text);

/// "GLOB:LIMIT"; the limit is what follows the last colon.
Result<Limit> parse_limit_for(std::string_view text);

enum class Severity { failure, warning, accepted };

struct Finding {
  Severity severity = Severity::failure;
  const CaseComparison* of = nullptr;
  Metric metric = Metric::instructions;
  double before = 0;
  double after = 0;
  double change = 0;
  std::string message;  ///< "instructions +12 % (1,000 → 1,120), limit +1%"
};

struct CheckResult {
  std::vector<Finding> findings;     ///< In the comparison's order.
  std::vector<std::string> remarks;  ///< About the check itself: an acceptance that has expired or matched nothing.
  std::size_t compared = 0;          ///< Cases with a verdict from both sides.

  [[nodiscard]] std::size_t count(Severity severity) const;
};

/// `today` as "2026-01-31". Later limits override earlier ones for the cases and metric that they match, softness
/// apart.
CheckResult check(const Comparison& comparison, const std::vector<Limit>& limits,
                  const std::vector<Acceptance>& accepted, std::string_view today);

/// 1 when a case failed or is gone, else 3 when a limit is exceeded, else 0.
int exit_code(const Comparison& comparison, const CheckResult& result);

}  // namespace tally
