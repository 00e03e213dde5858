#include "comparison/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace tally {
namespace {

/// One metric of one case on both sides.
struct Change {
  double before = 0;
  double after = 0;
  double least = 0;  ///< The change that is surely there, as a share: what a relative limit is held against.
  bool real = false;
};

Change plain_change(double before, double after) {
  const double change = before > 0 ? after / before - 1 : after > 0 ? HUGE_VAL : 0;
  return {before, after, change, after != before};
}

std::optional<Change> change_of(const CaseComparison& one, Metric metric) {
  if (metric == Metric::time) {
    if (!one.time) return std::nullopt;
    return Change{one.time->before_s, one.time->after_s, one.time->ratio.low - 1, one.time->verdict == Verdict::slower};
  }
  if (!one.counts) return std::nullopt;
  const Counts& before = *one.base->counts;
  const Counts& after = *one.next->counts;
  const auto both = [](const std::optional<double>& a, const std::optional<double>& b) -> std::optional<Change> {
    if (!a || !b) return std::nullopt;
    return plain_change(*a, *b);
  };
  switch (metric) {
    case Metric::denoised:
      return both(before.denoised, after.denoised);
    case Metric::allocations:
      return both(before.allocations, after.allocations);
    case Metric::bytes:
      return both(before.allocated_bytes, after.allocated_bytes);
    case Metric::cycles:
      return both(before.estimated_cycles, after.estimated_cycles);
    default:
      break;
  }
  return Change{one.counts->before, one.counts->after, one.counts->change,
                one.counts->after - one.counts->before > one.counts->threshold};
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "from nothing";
  return fmt::format("{:+.3g} %", share * 100);
}

std::string amount(double value, Metric metric) {
  return metric == Metric::time ? fmt::format("{:.4g} µs", value * 1e6)
                                : fmt::format("{:.10g}", std::round(value * 100) / 100);
}

std::string message(const Change& change, const Limit& limit, bool denoised) {
  const double relative = change.before > 0 ? change.after / change.before - 1 : HUGE_VAL;
  return fmt::format("{}{} {} ({} → {}), limit {}", denoised ? "denoised " : "", to_string(limit.metric),
                     percent(relative), amount(change.before, limit.metric), amount(change.after, limit.metric),
                     limit.text);
}

bool exceeded(const Change& change, const Limit& limit) {
  if (!limit.relative) return change.after > limit.value;
  // The epsilon keeps "+1%" from failing at exactly one percent.
  return change.real && change.least > limit.value + 1e-12;
}

class Checker {
 public:
  Checker(const std::vector<Acceptance>& accepted, std::string_view today)
      : accepted_(accepted), used_(accepted.size()), today_(today) {}

  void hold(const CaseComparison& one, const Limit& limit, CheckResult& result) {
    const std::optional<Change> change = change_of(one, limit.metric);
    if (!change || !exceeded(*change, limit)) return;
    const bool denoised = limit.metric == Metric::instructions && one.counts && one.counts->denoised;
    Finding finding{.severity = limit.soft ? Severity::warning : Severity::failure,
                    .of = &one,
                    .metric = limit.metric,
                    .before = change->before,
                    .after = change->after,
                    .change = change->before > 0 ? change->after / change->before - 1 : HUGE_VAL,
                    .message = message(*change, limit, denoised)};
    if (finding.severity == Severity::failure && !one.environment_changes.empty() && limit.relative) {
      finding.severity = Severity::warning;
      finding.message += "; softened, the environment changed: " + join(one.environment_changes, ", ");
      softened_ = true;
    }
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
      const Acceptance& agreed = accepted_[i];
      if (agreed.metric != limit.metric || !agreed.is_about(one.id)) continue;
      used_[i] = true;
      if (finding.severity == Severity::failure && agreed.holds_on(today_) && agreed.allows(finding.change)) {
        finding.severity = Severity::accepted;
        finding.message += fmt::format("; accepted until {}: {}", agreed.expires, agreed.reason);
      }
    }
    result.findings.push_back(std::move(finding));
  }

  void remark(CheckResult& result) const {
    if (softened_) {
      result.remarks.emplace_back(
          "the base is of another environment: tally check --rebase COMMAND builds and measures the base's commit "
          "here");
    }
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
      if (!accepted_[i].holds_on(today_)) {
        result.remarks.push_back(fmt::format("{}: the acceptance of '{}' expired on {}", accepted_[i].where,
                                             accepted_[i].cases, accepted_[i].expires));
      } else if (!used_[i]) {
        result.remarks.push_back(
            fmt::format("{}: '{}' exceeds no limit any more; remove it", accepted_[i].where, accepted_[i].cases));
      }
    }
  }

 private:
  const std::vector<Acceptance>& accepted_;
  std::vector<bool> used_;
  bool softened_ = false;
  std::string_view today_;
};

}  // namespace

std::size_t CheckResult::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

CheckResult check(const Comparison& comparison, const std::vector<Limit>& limits,
                  const std::vector<Acceptance>& accepted, std::string_view today) {
  CheckResult result;
  Checker checker(accepted, today);
  for (const CaseComparison& one : comparison.cases) {
    result.compared += one.counts || one.time;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const Limit& limit = limits[i];
      const auto overrides = [&](const Limit& later) {
        return later.metric == limit.metric && later.soft == limit.soft && glob_match(later.cases, one.id);
      };
      if (!glob_match(limit.cases, one.id)) continue;
      if (std::any_of(limits.begin() + static_cast<std::ptrdiff_t>(i) + 1, limits.end(), overrides)) continue;
      checker.hold(one, limit, result);
    }
  }
  checker.remark(result);
  return result;
}

int exit_code(const Comparison& comparison, const CheckResult& result) {
  if (comparison.count(Verdict::failed) + comparison.count(Verdict::gone) > 0) return 1;
  return result.count(Severity::failure) > 0 ? 3 : 0;
}

}  // namespace tally
