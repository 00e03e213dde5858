#include "comparison/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "base/text.h"

namespace tally {
namespace {

/// One metric of one case on both sides.
struct Change {
  double before = 0;  ///< 0 where a count of the base is below zero.
  double after = 0;
  bool worse = false;   ///< Beyond the limit.
  bool better = false;  ///< Likewise, in the other direction.
};

/// A change that can be held against a limit, or why there is none.
struct Judgement {
  std::optional<Change> change = {};
  std::string why = {};
  bool is_in_neither = false;  ///< Neither side has it: that says nothing of a change.
};

// The epsilon keeps "+1%" from failing at exactly one percent.
constexpr double kEpsilon = 1e-12;

/// What a benchmark reports may be below zero; the share is then of its size.
double share_of(double before, double after, Metric metric) {
  if (metric == Metric::value && before < 0) return (after - before) / -before;
  return relative_change(std::max(before, 0.0), after);
}

/// `more` and `less`: what has surely been added and taken away, and the shares of the base that these are.
struct Reach {
  double more = 0;
  double less = 0;
  double more_share = 0;
  double less_share = 0;
};

Change held(double before, double after, const Reach& reach, const Limit& limit) {
  Change change{.before = before, .after = after};
  if (limit.kind == Limit::Kind::amount) {
    change.worse = reach.more > limit.value * (1 + kEpsilon);
    change.better = reach.less > limit.value * (1 + kEpsilon);
  } else {
    change.worse = reach.more_share > limit.value + kEpsilon;
    change.better = reach.less_share > limit.value + kEpsilon;
  }
  return change;
}

/// Plain figures: what is more is more. With a `threshold` a share must exceed it to be one.
Change held_count(double before, double after, double threshold, const Limit& limit) {
  before = std::max(before, 0.0);
  const double change = relative_change(before, after);
  Reach reach{.more = after - before, .less = before - after};
  if (after - before > threshold) reach.more_share = change;
  if (before - after > threshold) reach.less_share = -change;
  return held(before, after, reach, limit);
}

Change held_time(const TimeChange& time, const Limit& limit) {
  Reach reach{.more = (time.ratio.low - 1) * time.before_s, .less = (1 - time.ratio.high) * time.before_s};
  if (time.verdict == Verdict::slower) reach.more_share = time.ratio.low - 1;
  if (time.verdict == Verdict::faster) reach.less_share = 1 - time.ratio.high;
  return held(time.before_s, time.after_s, reach, limit);
}

/// Figures that are known to lie within a range: what is more for certain is more.
Change held_range(const MetricValue& before, const MetricValue& after, const Limit& limit) {
  Reach reach{.more = after.range.low - before.range.high, .less = before.range.low - after.range.high};
  if (reach.more > 0) reach.more_share = share_of(before.range.high, after.range.low, limit.metric);
  if (reach.less > 0) reach.less_share = -share_of(before.range.low, after.range.high, limit.metric);
  return held(before.value, after.value, reach, limit);
}

std::string what_is(Metric metric) { return metric == Metric::time ? "time" : fmt::format("'{}'", to_string(metric)); }

/// Of a case that both sides have taken times of.
std::string why_no_time(const CaseComparison& one) {
  const auto refused = std::ranges::find(one.notes, NoteCode::times_refused, &Note::code);
  if (refused != one.notes.end()) return refused->text;
  for (const auto& [side, of] : {std::pair(one.base, "the base's"), std::pair(one.next, "its new")}) {
    if (!(side->wall->median_s > 0)) return fmt::format("{} time is not above zero, and so no base of a ratio", of);
  }
  return "there are too few samples of its time";
}

/// Of a figure that both sides have. A kernel's launch is the processor's work.
std::string why_not_held(const CaseComparison& one, Metric metric) {
  if (metric == Metric::kernels) return why_times_refused(one, {.device = true});
  if (metric == Metric::device_time) return why_times_refused(one, {.device = true, .cache = true});
  if (metric == Metric::launch_time) return why_times_refused(one, {.processor = true, .device = true, .cache = true});
  const auto before = metric == Metric::value ? reported_figure(*one.base) : std::nullopt;
  const auto after = metric == Metric::value ? reported_figure(*one.next) : std::nullopt;
  if (!before || !after || before->unit == after->unit) return {};
  return fmt::format("its value was in '{}' and is in '{}'", before->unit, after->unit);
}

/// A change that exceeds the limit and may as well be none, by how far the counts themselves lie apart.
std::string why_hidden(const CountChange& counts, const Limit& limit) {
  const bool varies = counts.threshold_of == ThresholdOf::replicates || counts.threshold_of == ThresholdOf::executions;
  const double more = counts.after - counts.before;
  if (!varies || limit.kind != Limit::Kind::share || more > counts.threshold ||
      share_of(counts.before, counts.after, limit.metric) <= limit.value + kEpsilon)
    return {};
  return fmt::format("its count varies: {:.10g} more lies within ± {:.10g}, so the limit {} says nothing of it",
                     std::round(more), std::round(counts.threshold), limit.text);
}

/// Both sides are there, and the case is ok on both.
Judgement compared(const CaseComparison& one, const Limit& limit) {
  const Metric metric = limit.metric;
  const bool before = metric_of(*one.base, metric).has_value() || has_below_zero(*one.base, metric);
  const bool after = metric_of(*one.next, metric).has_value() || has_below_zero(*one.next, metric);
  if (!before && !after)
    return {.why = fmt::format("neither record has its {}", what_is(metric)), .is_in_neither = true};
  if (!after) return {.why = fmt::format("the new record lacks its {}", what_is(metric))};
  if (!before) return {.why = fmt::format("the base lacks its {}", what_is(metric))};
  if (metric == Metric::time) {
    if (!one.time) return {.why = why_no_time(one)};
    return {.change = held_time(*one.time, limit)};
  }
  if (metric == Metric::kernels || metric == Metric::memory || metric == Metric::value || is_time(metric)) {
    if (std::string why = why_not_held(one, metric); !why.empty()) return {.why = std::move(why)};
    return {.change = held_range(*metric_of(*one.base, metric), *metric_of(*one.next, metric), limit)};
  }
  if (!one.counts) return {.why = one.counts_refused};
  if (metric == Metric::instructions) {
    if (std::string why = why_hidden(*one.counts, limit); !why.empty()) return {.why = std::move(why)};
  }
  if (metric == Metric::instructions)
    return {.change = held_count(one.counts->before, one.counts->after, one.counts->threshold, limit)};
  const auto old_value = metric_of(*one.base, metric);
  const auto new_value = metric_of(*one.next, metric);
  if (!new_value) return {.why = fmt::format("its new {} is below zero, which is not a valid count", what_is(metric))};
  return {.change = held_count(old_value ? old_value->value : 0, new_value->value, 0, limit)};
}

Judgement judge(const CaseComparison& one, const Limit& limit) {
  if (one.next == nullptr || one.next->status != CaseStatus::ok) return {.why = std::string(to_string(one.verdict))};
  const bool has_base = one.base != nullptr && one.base->status == CaseStatus::ok;
  if (limit.kind == Limit::Kind::ceiling) {
    const auto value = metric_of(*one.next, limit.metric);
    const bool below = has_below_zero(*one.next, limit.metric);
    if (below) return {.why = fmt::format("its {} is below zero, which is not a valid count", what_is(limit.metric))};
    if (!value)
      return {.why = fmt::format("the new record lacks its {}", what_is(limit.metric)),
              .is_in_neither = !has_base || !metric_of(*one.base, limit.metric)};
    const auto before = has_base ? metric_of(*one.base, limit.metric) : std::nullopt;
    return {.change = Change{
                .before = before ? before->value : 0, .after = value->value, .worse = value->value > limit.value}};
  }
  if (!has_base) return {.why = "new"};
  return compared(one, limit);
}

/// A limit that nobody wrote is held against what a benchmark reports, where that is all that it has.
void take_metric_of(const CaseComparison& one, Limit& limit) {
  if (!one.value) return;
  limit.metric = one.shown().reported ? Metric::value : Metric::memory;
  limit.text = std::string(to_string(limit.metric)) + limit.text.substr(limit.text.find('='));
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "from nothing";
  return fmt::format("{:+.3g} %", share * 100);
}

std::string amount(double value, Metric metric) {
  return is_time(metric) ? fmt::format("{:.4g} µs", value * 1e6)
                         : fmt::format("{:.10g}", std::round(value * 100) / 100);
}

std::string text_of(const Limit& limit) { return limit.cases == "*" ? limit.text : limit.cases + ":" + limit.text; }

std::string message(const CaseComparison& one, const Change& change, const Limit& limit) {
  const bool denoised = limit.metric == Metric::instructions && one.counts && one.counts->denoised;
  const bool warm = limit.metric == Metric::device_time && one.next->on_device && has_warm_work(*one.next->on_device);
  const std::string what =
      fmt::format("{}{}{}", denoised ? "denoised " : "", to_string(limit.metric), warm ? " of a warm cache" : "");
  if (limit.kind == Limit::Kind::ceiling && (one.base == nullptr || one.base->status != CaseStatus::ok))
    return fmt::format("{} {}, limit {}", what, amount(change.after, limit.metric), limit.text);
  return fmt::format("{} {} ({} → {}), limit {}", what, percent(share_of(change.before, change.after, limit.metric)),
                     amount(change.before, limit.metric), amount(change.after, limit.metric), limit.text);
}

class Checker {
 public:
  Checker(const std::vector<Limit>& limits, const std::vector<Acceptance>& accepted, std::string_view today,
          const CheckOptions& options)
      : limits_(limits),
        accepted_(accepted),
        options_(options),
        used_(accepted.size()),
        matched_(limits.size()),
        today_(today) {}

  void judge_all(const Comparison& comparison, CheckResult& result) {
    for (const Limit& limit : limits_) result.limits.push_back({.text = text_of(limit), .soft = limit.soft});
    result.cases = comparison.cases.size();
    for (const CaseComparison& one : comparison.cases) {
      result.compared += one.counts || one.time || one.value;
      judge_case(one, result);
    }
    for (const std::string& other : options_.others) {
      for (std::size_t i = 0; i < limits_.size(); ++i) matched_[i] = matched_[i] || limits_[i].is_about(other);
    }
    for (std::size_t i = 0; i < limits_.size(); ++i) say_unused(i, result.limits[i]);
  }

  void remark(const Comparison& comparison, CheckResult& result) const {
    if (comparison.cases.empty()) result.remarks.emplace_back("neither record has a case");
    say_how_to_agree(result);
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
        result.remarks.push_back(fmt::format("{}: '{}' no longer exceeds a limit; remove the entry", accepted_[i].where,
                                             accepted_[i].cases));
      }
    }
  }

 private:
  /// Whether a limit is held against the case, or a later one is in its place.
  [[nodiscard]] bool is_asked(std::size_t which, std::string_view id) const {
    const Limit& limit = limits_[which];
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const Limit& other = limits_[i];
      if (i == which || other.soft != limit.soft || !other.is_about(id)) continue;
      if (limit.is_default || (i > which && other.metric == limit.metric)) return false;
    }
    return true;
  }

  void judge_case(const CaseComparison& one, CheckResult& result) {
    bool is_judged = false;
    std::string why;  // it is not compared, as it should be
    std::string missing;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      if (!limits_[i].is_about(one.id)) continue;
      matched_[i] = true;
      if (!is_asked(i, one.id)) continue;
      LimitUse& use = result.limits[i];
      ++use.asked;
      Limit limit = limits_[i];
      if (limit.is_default) take_metric_of(one, limit);
      const Judgement judgement = judge(one, limit);
      if (judgement.change) {
        ++use.judged;
        is_judged = true;
        find(one, limit, *judgement.change, result);
        continue;
      }
      if (use.why.empty()) use.why = judgement.why;
      if (limits_[i].soft) continue;
      std::string& reason = judgement.is_in_neither ? missing : why;
      if (reason.empty()) reason = judgement.why;
    }
    result.judged += is_judged;
    if (one.verdict == Verdict::refused && one.next != nullptr && !was_tried(*one.next)) {
      result.uncompared.push_back({&one, "the new run was interrupted before it"});
      return;
    }
    if (one.verdict == Verdict::added && one.base != nullptr && !was_tried(*one.base)) {
      result.uncompared.push_back({&one, "the base was interrupted before it"});
      return;
    }
    const bool on_both = one.base != nullptr && one.next != nullptr && one.base->status == CaseStatus::ok &&
                         one.next->status == CaseStatus::ok;
    if (!on_both) return;
    if (!is_judged && why.empty()) why = missing.empty() ? "no limit is for it" : missing;
    if (!why.empty()) result.uncompared.push_back({&one, why});
  }

  void find(const CaseComparison& one, const Limit& limit, const Change& change, CheckResult& result) {
    if (!change.worse && !change.better) return;
    Finding finding{.severity = change.better ? Severity::better
                                : limit.soft  ? Severity::warning
                                              : Severity::failure,
                    .of = &one,
                    .metric = limit.metric,
                    .before = change.before,
                    .after = change.after,
                    .change = share_of(change.before, change.after, limit.metric),
                    .message = message(one, change, limit)};
    if (finding.severity == Severity::failure && !one.environment_changes.empty() &&
        limit.kind != Limit::Kind::ceiling) {
      if (!options_.any_environment) finding.severity = Severity::warning;
      finding.message += fmt::format("; {}the environment changed: {}", options_.any_environment ? "" : "softened, ",
                                     join(one.environment_changes, ", "));
      softened_ = true;
    }
    for (std::size_t i = 0; i < accepted_.size() && change.worse; ++i) {
      const Acceptance& agreed = accepted_[i];
      if (agreed.metric != limit.metric || !agreed.is_about(one.id)) continue;
      used_[i] = true;
      if (contains(options_.elsewhere, agreed.commit)) {
        finding.message +=
            fmt::format("; what {} accepts is of commit {}, which is not between the two", agreed.where, agreed.commit);
        continue;
      }
      if (finding.severity == Severity::failure && agreed.holds_on(today_) && agreed.allows(finding.change)) {
        finding.severity = Severity::accepted;
        finding.message += fmt::format("; accepted until {}: {}", agreed.expires, agreed.reason);
      }
    }
    result.findings.push_back(std::move(finding));
  }

  static void say_how_to_agree(CheckResult& result) {
    const auto failed = std::ranges::find(result.findings, Severity::failure, &Finding::severity);
    if (failed != result.findings.end() && std::isfinite(failed->change) && failed->change > 0) {
      result.remarks.push_back(fmt::format(
          "if this is intended: tally history accept '{}' --up-to +{:.1f}% --reason WHY{} writes it into {}, and "
          "--accept "
          "{} takes it from there",
          failed->of->id, std::ceil(failed->change * 1000 - 1e-6) / 10,
          failed->metric == Metric::instructions ? ""
                                                 : fmt::format(" (with metric = \"{}\")", to_string(failed->metric)),
          kAcceptFile, kAcceptFile));
    } else if (failed != result.findings.end()) {
      result.remarks.emplace_back(
          "if this is intended: take the new record for the base, or give the case a limit of its own with "
          "--limit-for");
    }
    if (result.count(Severity::better) > 0)
      result.remarks.emplace_back(
          "improvements are unguarded until the new record becomes the base: a later regression may use them up");
  }

  void say_unused(std::size_t which, LimitUse& use) const {
    const std::string first = std::exchange(use.why, {});
    if (use.judged > 0) return;
    if (!matched_[which]) {
      use.why = "it matches no case";
    } else if (use.asked > 0) {
      use.why = fmt::format("{} {}: {}", use.asked, use.asked == 1 ? "case" : "cases", first);
    }
    if (limits_[which].is_default && use.asked == 0 && matched_[which]) use.why.clear();
  }

  const std::vector<Limit>& limits_;
  const std::vector<Acceptance>& accepted_;
  const CheckOptions& options_;
  std::vector<bool> used_;
  std::vector<bool> matched_;  ///< Whether a limit's glob matches any case.
  bool softened_ = false;
  std::string_view today_;
};

}  // namespace

bool Limit::is_about(std::string_view id) const { return cases == id || glob_match(cases, id); }

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::failure:
      return "failure";
    case Severity::warning:
      return "warning";
    case Severity::accepted:
      return "accepted";
    case Severity::better:
      return "better";
  }
  return "failure";
}

std::size_t CheckResult::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

std::size_t CheckResult::limits_used() const {
  return static_cast<std::size_t>(std::ranges::count_if(limits, [](const LimitUse& use) { return use.judged > 0; }));
}

bool CheckResult::is_incomplete() const {
  const bool unused = std::ranges::any_of(limits, [](const LimitUse& use) { return !use.soft && !use.why.empty(); });
  return unused || judged == 0 || (!uncompared.empty() && !allow_uncompared);
}

CheckResult check(const Comparison& comparison, const std::vector<Limit>& limits,
                  const std::vector<Acceptance>& accepted, std::string_view today, const CheckOptions& options) {
  CheckResult result;
  result.allow_uncompared = options.allow_uncompared;
  result.named = options.named;
  Checker checker(limits, accepted, today, options);
  checker.judge_all(comparison, result);
  checker.remark(comparison, result);
  return result;
}

bool is_of_something_else(const Comparison& comparison, const CheckResult& result) {
  const bool has_others = comparison.count(Verdict::added) + comparison.count(Verdict::refused) > 0;
  return !result.named && has_others && result.compared == 0 && comparison.count(Verdict::failed) == 0;
}

int exit_code(const Comparison& comparison, const CheckResult& result) {
  if (result.count(Severity::failure) > 0) return 3;
  if (is_of_something_else(comparison, result) && result.is_incomplete()) return 2;
  if (comparison.count(Verdict::failed) + comparison.count(Verdict::gone) > 0) return 1;
  return result.is_incomplete() ? 2 : 0;
}

}  // namespace tally
