/// Limits upon a comparison: what may pass, what warns, what fails, what was acknowledged, and what was judged at all.
/// Pure; the date is an argument.
///
/// A share ("+1%") is exceeded only by a change that is real: beyond the case's noise floor for counts; for time, when
/// the whole 95 % interval of the ratio lies beyond the limit. An amount ("+500") is taken as it stands, and no noise
/// floor hides what is below; of a time it is again the interval that must lie beyond. A ceiling ("5000") needs the new
/// value alone. Under a changed environment an exceeded share or amount warns and does no more, unless that is asked
/// for.
///
/// A change beyond a share that counts of its own case hide, for they vary by more, is not judged: nor is a figure of
/// another device or in another unit.
///
/// What was not judged is no pass: a limit that judged no case, and a case of both sides that a limit was meant for and
/// could not judge, are found out and named.
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
  enum class Kind {
    share,   ///< "+1%" of the base.
    amount,  ///< "+500" more than the base, per iteration.
    ceiling  ///< "5000", "2us": for the new value, per iteration.
  };

  Metric metric = Metric::instructions;
  std::string cases = "*";  ///< An id, or a glob over ids.
  Kind kind = Kind::share;
  double value = 0.01;      ///< A share, or instructions, seconds, … per iteration; 0 or more.
  bool soft = false;        ///< Warns instead of failing.
  bool is_default = false;  ///< Nobody wrote it: where other limits are for all cases, it need not judge any.
  std::string text;         ///< As the user wrote it.

  [[nodiscard]] bool is_about(std::string_view id) const;
};

/// "instructions=+1%", "instructions=+500", "time=+10%", "allocations=12", "time=2us".
Result<Limit> parse_limit(std::string_view text);

/// "GLOB:LIMIT"; the limit is what follows the last colon.
Result<Limit> parse_limit_for(std::string_view text);

/// better: beyond the limit in the other direction, which is reported and fails nothing.
enum class Severity { failure, warning, accepted, better };
std::string_view to_string(Severity severity);  // "failure", …

struct Finding {
  Severity severity = Severity::failure;
  const CaseComparison* of = nullptr;
  Metric metric = Metric::instructions;
  double before = 0;  ///< 0 where there is no base, or one that is below zero.
  double after = 0;
  double change = 0;    ///< A share; infinite from nothing.
  std::string message;  ///< "instructions +12 % (1,000 → 1,120), limit +1%"
};

/// What became of a limit.
struct LimitUse {
  std::string text;  ///< With its glob, where it has one: "Indexing/*:instructions=+3%".
  bool soft = false;
  std::size_t asked = 0;   ///< Cases that it was for: its glob matches, and no later limit takes them.
  std::size_t judged = 0;  ///< Of these, those that it could be held against.
  std::string why;         ///< Why nothing was judged that should have been; empty where that is not so.
};

/// A case that both sides have and that a limit should have judged.
struct Uncompared {
  const CaseComparison* of = nullptr;
  std::string why;
};

struct CheckOptions {
  bool allow_uncompared = false;
  bool any_environment = false;  ///< A changed one makes no limit softer.
  bool named = false;            ///< The cases were named by their ids.
  /// Commits that acceptances name (as they name them) and that are not between the two sides: what these agree to is
  /// another change.
  std::vector<std::string> elsewhere = {};
  /// Where only some cases are judged: the ids of the others. A limit for one of these has its case.
  std::vector<std::string> others = {};
};

struct CheckResult {
  std::vector<Finding> findings;       ///< In the comparison's order.
  std::vector<std::string> remarks;    ///< About the check itself: an acceptance that has expired or matched nothing.
  std::vector<LimitUse> limits;        ///< In the order given.
  std::vector<Uncompared> uncompared;  ///< In the comparison's order.
  bool allow_uncompared = false;
  bool named = false;        ///< The cases were named by their ids.
  std::size_t compared = 0;  ///< Cases with a verdict from both sides.
  std::size_t judged = 0;    ///< Cases that a limit was held against.
  std::size_t cases = 0;     ///< All of both sides.

  [[nodiscard]] std::size_t count(Severity severity) const;
  /// Limits that judged a case.
  [[nodiscard]] std::size_t limits_used() const;
  /// Something that should have been judged was not, and nobody allowed that.
  [[nodiscard]] bool is_incomplete() const;
};

/// `today` as "2026-01-31". Later limits override earlier ones for the cases and metric that they match, softness
/// apart; a limit that is the default stands for the cases that no other limit is about.
CheckResult check(const Comparison& comparison, const std::vector<Limit>& limits,
                  const std::vector<Acceptance>& accepted, std::string_view today, const CheckOptions& options = {});

/// The two sides have nothing in common that could be compared, though there are cases on both: the base is of
/// something else, and that its cases are gone says nothing.
bool is_of_something_else(const Comparison& comparison, const CheckResult& result);

/// 3 when a limit is exceeded, else 1 when a case failed or is gone, else 2 when something was not judged, else 0. What
/// was seen comes before what was not: none of them is a pass.
int exit_code(const Comparison& comparison, const CheckResult& result);

}  // namespace tally
