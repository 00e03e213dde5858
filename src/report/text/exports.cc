#include "report/text/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/readable_id.h"
#include "base/text.h"
#include "comparison/count_change.h"
#include "profile/names.h"
#include "report/text/comparison_table.h"
#include "report/text/escape.h"
#include "report/text/explanation_text.h"
#include "report/text/format.h"

namespace tally {
namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

/// The failing findings of a case, joined.
std::string failures_of(const CaseComparison& one, const CheckResult& checked) {
  std::vector<std::string> parts;
  for (const Finding& finding : checked.findings) {
    if (finding.of == &one && finding.severity == Severity::failure) parts.push_back(finding.message);
  }
  if (one.verdict == Verdict::failed || one.verdict == Verdict::gone) {
    parts.push_back(std::string(to_string(one.verdict)) + (one.notes.empty() ? "" : ": " + one.first_note()));
  }
  const auto uncompared = std::ranges::find(checked.uncompared, &one, &Uncompared::of);
  if (uncompared != checked.uncompared.end() && !checked.allow_uncompared)
    parts.push_back("not compared: " + uncompared->why);
  return join(parts, "; ");
}

std::string folded(const CaseComparison& one, const Explanation& explanation) {
  return "\n<details><summary>" + html_escape(readable_id(one.id)) + "</summary>\n\n" +
         explanation_markdown(explanation) + "\n</details>\n";
}

std::string_view judgement_of(int code) {
  switch (code) {
    case 0:
      return "**Pass**: nothing is beyond its limit;";
    case 1:
      return "**Fail**: cases failed or are gone;";
    case 3:
      return "**Fail**: beyond the limits;";
    default:
      return "**No pass**: not everything could be judged;";
  }
}

std::string findings_markdown(const CheckResult& checked) {
  std::vector<std::string> lines;
  for (const Finding& finding : checked.findings) {
    const std::string_view word =
        finding.severity == Severity::failure ? "**regression**" : to_string(finding.severity);
    lines.push_back(fmt::format("{}: {}: {}", word, markdown_escape(readable_id(finding.of->id)),
                                markdown_escape(finding.message)));
  }
  for (const Uncompared& one : checked.uncompared)
    lines.push_back(
        fmt::format("not compared: {}: {}", markdown_escape(readable_id(one.of->id)), markdown_escape(one.why)));
  for (const LimitUse& use : checked.limits) {
    if (!use.why.empty())
      lines.push_back(
          fmt::format("judged nothing: the limit {}: {}", markdown_escape(use.text), markdown_escape(use.why)));
  }
  for (const std::string& remark : checked.remarks) lines.push_back(markdown_escape(remark));
  return lines.empty() ? "" : "\n- " + join(lines, "\n- ") + "\n";
}

const Uncompared* uncompared_of(const CaseComparison& one, const CheckResult& checked) {
  const auto found = std::ranges::find(checked.uncompared, &one, &Uncompared::of);
  return found == checked.uncompared.end() ? nullptr : &*found;
}

}  // namespace

std::string to_markdown(const Comparison& comparison, const CheckResult* checked, std::size_t functions) {
  std::string out = "### Tallymark: " + comparison_summary(comparison) + "\n\n";
  if (const std::string means = means_line(comparison); !means.empty()) out += markdown_escape(means) + "\n\n";
  if (const std::string note = commits_note(comparison); !note.empty()) out += markdown_escape(note) + "\n\n";
  if (const std::string note = versions_note(comparison); !note.empty()) out += markdown_escape(note) + "\n\n";
  if (checked) {
    out += std::string(judgement_of(exit_code(comparison, *checked))) + " " + judged_line(*checked) + ".\n\n";
  }
  const auto shown =
      std::ranges::count_if(comparison.cases, [](const CaseComparison& one) { return one.verdict != Verdict::same; });
  if (shown > 0)
    out +=
        "| case | variant | before | after | change | time | verdict | cause "
        "|\n|---|---|---:|---:|---:|---:|---|---|\n";
  for (const CaseComparison& one : comparison.cases) {
    if (one.verdict == Verdict::same) continue;
    const auto& value = one.value;
    const auto figure = [&](double count, double reported) {
      return one.counts ? format_figure(count) : markdown_escape(format_value(reported, value->unit));
    };
    const bool has_figures = one.counts || value;
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown_escape(label_text(one.shown())),
                       markdown_escape(variant_text(one.shown())),
                       has_figures ? figure(one.counts ? one.counts->before : 0, value ? value->before : 0) : "",
                       has_figures ? figure(one.counts ? one.counts->after : 0, value ? value->after : 0) : "",
                       has_figures ? format_change(one.counts ? one.counts->change : value->change) : "",
                       one.time ? format_change(one.time->change) : "", to_string(one.verdict),
                       markdown_escape(one.cause));
  }
  if (const std::string note = denoised_note(comparison); !note.empty()) out += "\n" + note + "\n";
  if (checked) out += findings_markdown(*checked);
  for (const CaseComparison& one : comparison.cases) {
    if (functions == 0 || !has_moved(one) || (one.functions.empty() && one.python.empty())) continue;
    Explanation explanation = explain(one);
    const auto shorten_to = [functions](auto& named) {
      if (named.size() > functions) named.resize(functions);
    };
    shorten_to(explanation.functions.named);
    shorten_to(explanation.python.named);
    shorten_to(explanation.lines.named);
    shorten_to(explanation.sites.named);
    out += folded(one, explanation);
  }
  return out;
}

std::string to_junit(const Comparison& comparison, const CheckResult& checked) {
  std::string cases;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  std::size_t tests = comparison.cases.size();
  for (const CaseComparison& one : comparison.cases) {
    double seconds = 0;
    for (const Attempt& attempt : one.shown().attempts) seconds += attempt.seconds;
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                         html_escape(one.shown().label.empty() ? "" : one.shown().label.front()), html_escape(one.id),
                         seconds);
    const std::string failure = failures_of(one, checked);
    if (!failure.empty()) {
      ++failures;
      cases += fmt::format(">\n    <failure message=\"{}\"/>\n  </testcase>\n", html_escape(failure));
    } else if (const Uncompared* const uncompared = uncompared_of(one, checked);
               uncompared != nullptr || one.verdict == Verdict::added) {
      ++skipped;
      const std::string why = uncompared != nullptr ? "not compared: " + uncompared->why
                              : one.notes.empty()   ? "new: nothing to compare with"
                                                    : one.first_note();
      cases += fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n", html_escape(why));
    } else {
      cases += "/>\n";
    }
  }
  for (const LimitUse& use : checked.limits) {
    if (use.why.empty() || use.soft) continue;
    ++failures;
    ++tests;
    cases += fmt::format(
        "  <testcase classname=\"limits\" name=\"{}\" time=\"0.000\">\n    <failure message=\"judged nothing: "
        "{}\"/>\n  </testcase>\n",
        html_escape(use.text), html_escape(use.why));
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tallymark\" tests=\"{}\" failures=\"{}\" "
             "skipped=\"{}\">\n",
             tests, failures, skipped) +
         cases + "</testsuite>\n";
}

std::string to_csv(const Comparison& comparison) {
  std::string out =
      "id,verdict,cause,instructions_before,instructions_after,instructions_change,time_before_s,time_after_s,time_"
      "ratio_low,time_ratio_high,denoised,value_before,value_after,value_change,unit\n";
  for (const CaseComparison& one : comparison.cases) {
    const auto& counts = one.counts;
    const auto& time = one.time;
    const auto& value = one.value;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(one.id), to_string(one.verdict),
                       csv_field(one.cause), counts ? number(counts->before) : "", counts ? number(counts->after) : "",
                       counts ? number(counts->change) : "", time ? number(time->before_s) : "",
                       time ? number(time->after_s) : "", time ? number(time->ratio.low) : "",
                       time ? number(time->ratio.high) : "", counts ? counts->denoised ? "yes" : "no" : "",
                       value ? number(value->before) : "", value ? number(value->after) : "",
                       value ? number(value->change) : "", value ? csv_field(value->unit) : "");
  }
  return out;
}

std::string to_csv(const Record& record) {
  std::string out =
      "id,status,instructions_per_iteration,spread,median_s,iqr_s,interval_low_s,interval_high_s,denoised,value,unit\n";
  for (const CaseRecord& one : record.cases) {
    const auto& counts = one.counts;
    const auto& wall = one.wall;
    const auto reported = one.status == CaseStatus::ok ? reported_figure(one) : std::nullopt;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(one.id), to_string(one.status),
                       counts ? number(counts->per_iteration) : "", counts ? number(counts->spread) : "",
                       wall ? number(wall->median_s) : "", wall ? number(wall->iqr_s) : "",
                       wall ? number(wall->interval_s.low) : "", wall ? number(wall->interval_s.high) : "",
                       counts && counts->denoised ? number(*counts->denoised) : "",
                       reported ? number(reported->value) : "", reported ? csv_field(reported->unit) : "");
  }
  return out;
}

std::string github_annotations(const Comparison& comparison, const CheckResult& checked) {
  std::string out;
  for (const Finding& finding : checked.findings) {
    if (finding.severity == Severity::accepted || finding.severity == Severity::better) continue;
    out += fmt::format(
        "::{} title={}::{}\n", finding.severity == Severity::failure ? "error" : "warning",
        github_property(finding.severity == Severity::failure ? "Performance regression" : "Performance warning"),
        github_escape(readable_id(finding.of->id) + ": " + finding.message));
  }
  for (const CaseComparison& one : comparison.cases) {
    if (one.verdict != Verdict::failed && one.verdict != Verdict::gone) continue;
    out += fmt::format("::error title={}::{}\n", github_property("Benchmark " + std::string(to_string(one.verdict))),
                       github_escape(readable_id(one.id) + (one.notes.empty() ? "" : ": " + one.first_note())));
  }
  for (const Uncompared& one : checked.uncompared) {
    out +=
        fmt::format("::{} title={}::{}\n", checked.allow_uncompared ? "warning" : "error",
                    github_property("Benchmark not compared"), github_escape(readable_id(one.of->id) + ": " + one.why));
  }
  for (const LimitUse& use : checked.limits) {
    if (use.why.empty()) continue;
    out += fmt::format("::{} title={}::{}\n", use.soft ? "warning" : "error", github_property("A limit judged nothing"),
                       github_escape(use.text + ": " + use.why));
  }
  return out;
}

}  // namespace tally
