#include "report/text/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/digest.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "comparison/means.h"
#include "report/text/format.h"
#include "report/text/function_table.h"
#include "report/text/versions.h"

namespace tally {
namespace {

Tint tint_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
    case Verdict::gone:
    case Verdict::slower:
      return Tint::bad;
    case Verdict::changed_environment:
    case Verdict::refused:
      return Tint::notice;
    case Verdict::faster:
      return Tint::good;
    case Verdict::added:
    case Verdict::same:
      return Tint::dim;
  }
  return Tint::none;
}

/// A count that moved, and not by enough to say so.
bool is_within(const CaseComparison& one) {
  return one.verdict == Verdict::same && one.counts && one.counts->before != one.counts->after;
}

std::vector<Cell> row_of(const CaseComparison& one) {
  const Tint tint = tint_of(one.verdict);
  std::vector<Cell> row(8);
  row[0] = {label_text(one.shown())};
  row[1] = {variant_text(one.shown())};
  if (one.counts) {
    row[2].text = format_figure(one.counts->before);
    row[3].text = format_figure(one.counts->after);
    row[4] = {format_change(one.counts->change), tint};
  }
  if (one.value) {
    row[2].text = format_value(one.value->before, one.value->unit);
    row[3].text = format_value(one.value->after, one.value->unit);
    row[4] = {format_change(one.value->change), tint};
  }
  if (one.time)
    row[5] = {format_change(one.time->change),
              one.time->verdict == Verdict::same ? Tint::dim : tint_of(one.time->verdict)};
  row[6] = {std::string(to_string(one.verdict)), tint};
  row[7] = {is_within(one) ? "within ± " + format_count(one.counts->threshold) : one.cause};
  return row;
}

std::string allocation_lines(const CaseComparison& one, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, one.allocations.size()); ++i)
    text += "  " + message_text(describe(one.allocations[i]), 2) + "\n";
  if (one.allocations.size() > most) text += fmt::format("  and {} more sites\n", one.allocations.size() - most);
  return text;
}

std::string with_short_digests(std::string_view change) {
  std::vector<std::string> words;
  for (const std::string_view word : split(change, ' ')) words.push_back(shortened_digest(word));
  return join(words, " ");
}

/// What differs of one side: versions first, then files, of which there may be hundreds.
void add_changes(std::string& text, std::string_view what, const std::vector<std::string>& changes) {
  constexpr std::size_t most = 12;
  std::vector<std::string> lines;
  for (const bool files : {false, true}) {
    for (const std::string& change : changes) {
      if (change.starts_with(kMappedFact) == files) lines.push_back(with_short_digests(change));
    }
  }
  const std::size_t shown = lines.size() <= most ? lines.size() : most - 1;
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("  {}: {}\n", what, message_text(lines[i], 2));
  if (shown < lines.size()) text += fmt::format("  {}: and {} more (--json has all)\n", what, lines.size() - shown);
}

/// What changed around the cases that moved, once for each environment.
std::string surroundings_of(const Comparison& comparison, const ComparisonRender& render) {
  std::map<std::string, std::string> texts;
  for (const CaseComparison& one : comparison.cases) {
    if (!has_moved(one)) continue;
    std::string& text = texts[environment_name(one.shown().toolchain, one.shown().language)];
    if (!text.empty()) continue;
    add_changes(text, "subject", one.subject_changes);
    add_changes(text, "environment", one.environment_changes);
    std::vector<std::string> folders;
    std::ranges::copy_if(one.machine_changes, std::back_inserter(folders), is_of_folder);
    add_changes(text, "folder", folders);
  }
  std::string all;
  for (const auto& [name, text] : texts) {
    if (!text.empty()) all += "\n" + tinted(printable(name), Tint::bold, render.options.color) + "\n" + text;
  }
  return all;
}

std::string details_of(const CaseComparison& one, const ComparisonRender& render) {
  std::string text;
  const auto line = [&](const std::string& words) { text += "  " + message_text(words, 2) + "\n"; };
  for (const Note& note : one.notes) line(note.text);
  if (render.functions > 0 && has_moved(one)) {
    if (!one.python.empty())
      text += "  Python functions, with the native code that they call:\n" +
              render_deltas(one.python, render.functions, render.options);
    if (!one.python.empty() && !one.functions.empty()) text += "  native functions:\n";
    text += one.functions.empty() ? "  no profiles on both sides (run with --profiles)\n"
                                  : render_deltas(one.functions, render.functions, render.options);
  }
  if (render.functions > 0) text += allocation_lines(one, render.functions);
  if (text.empty()) return text;
  return "\n" + tinted(printable(readable_id(one.id)), Tint::bold, render.options.color) + "\n" + text;
}

std::pair<std::string_view, Tint> word_of(Severity severity) {
  switch (severity) {
    case Severity::failure:
      return {"regression", Tint::bad};
    case Severity::warning:
      return {"warning", Tint::notice};
    case Severity::better:
      return {"better", Tint::good};
    case Severity::accepted:
      break;
  }
  return {"accepted", Tint::dim};
}

}  // namespace

std::string judged_line(const CheckResult& result) {
  return fmt::format("judged {} of {} cases by {} limits", result.judged, result.cases, result.limits_used());
}

std::string comparison_summary(const Comparison& comparison) {
  constexpr std::array order = {Verdict::failed, Verdict::gone,    Verdict::slower, Verdict::changed_environment,
                                Verdict::faster, Verdict::refused, Verdict::added,  Verdict::same};
  std::vector<std::string> parts;
  for (const Verdict verdict : order) {
    const std::size_t count = comparison.count(verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(verdict)));
  }
  return parts.empty() ? "no cases" : join(parts, ", ");
}

std::string means_line(const Comparison& comparison) {
  constexpr std::size_t kMany = 10;  // of fewer a reader sees each
  const Means means = means_of(comparison);
  std::size_t cases = 0;
  std::vector<std::string> parts;
  for (const LanguageMean& one : means.languages) {
    cases += one.cases;
    parts.push_back(fmt::format("{} {}",
                                one.language == "cpp"      ? "C++"
                                : one.language == "python" ? "Python"
                                                           : "commands",
                                format_change(one.change)));
  }
  if (cases < kMany || means.moved < 2) return {};
  std::string text = fmt::format("{}: {} in the geometric mean of {} cases", means.of_times ? "times" : "instructions",
                                 join(parts, ", "), cases);
  if (means.worst != nullptr)
    text += fmt::format("; worst: {} {}", readable_id(means.worst->id),
                        std::isfinite(means.worst_change) ? format_change(means.worst_change) : "from nothing");
  return text;
}

std::string denoised_note(const Comparison& comparison) {
  std::size_t denoised = 0;
  std::size_t whole = 0;
  for (const CaseComparison& one : comparison.cases)
    if (one.counts) ++(one.counts->denoised ? denoised : whole);
  if (denoised == 0) return {};
  return fmt::format("{} {} without known interpreter noise, {} whole", denoised,
                     denoised == 1 ? "count is" : "counts are", whole);
}

std::string commits_note(const Comparison& comparison) {
  const auto& before = comparison.base->source;
  const auto& after = comparison.next->source;
  if (before == after) return before ? "base and new: " + source_text(before) : "";
  return fmt::format("base: {}, new: {}", source_text(before), source_text(after));
}

std::string versions_note(const Comparison& comparison) {
  const std::string line = versions_line(versions_of(*comparison.base, *comparison.next));
  return line.empty() ? line : "with: " + line;
}

std::string render_comparison(const Comparison& comparison, const ComparisonRender& render) {
  Table table;
  table.columns = {{.title = "label", .least = 12, .in_middle = true, .names_row = true},
                   {.title = "variant", .least = 6, .names_row = true},
                   {.title = "before", .right = true, .drop = 3},
                   {.title = "after", .right = true, .drop = 2},
                   {.title = "change", .right = true},
                   {.title = "time", .right = true, .drop = 1},
                   {.title = "verdict"},
                   {.title = "cause", .drop = 4}};
  std::string details;
  std::size_t assumed = 0;
  std::set<ThresholdOf> within;
  for (const CaseComparison& one : comparison.cases) {
    assumed += one.counts && !one.counts->floor_measured;
    if (one.verdict == Verdict::same && !render.all) continue;
    if (is_within(one)) within.insert(one.counts->threshold_of);
    table.rows.push_back(row_of(one));
    details += details_of(one, render);
  }
  details += surroundings_of(comparison, render);
  std::string text = means_line(comparison);
  if (!text.empty()) text = printable(text) + "\n\n";
  if (!table.rows.empty()) text += render_table(table, render.options) + details + "\n";
  if (const std::string note = commits_note(comparison); !note.empty()) text += printable(note) + "\n";
  if (const std::string note = versions_note(comparison); !note.empty()) text += printable(note) + "\n";
  text += comparison_summary(comparison) + "\n";
  if (const std::string note = denoised_note(comparison); !note.empty())
    text += tinted(note + "\n", Tint::dim, render.options.color);
  if (!within.empty()) {
    std::vector<std::string> reasons;
    reasons.reserve(within.size());
    for (const ThresholdOf one : within) reasons.emplace_back(to_string(one));
    text += tinted("within ±: a change that is no larger is the same; the limit is " + join(reasons, ", or ") + "\n",
                   Tint::dim, render.options.color);
  }
  if (assumed > 0) {
    text += tinted(fmt::format("{} noise {} not measured (tally run --aa does): the default floor is used\n", assumed,
                               assumed == 1 ? "floor was" : "floors were"),
                   Tint::dim, render.options.color);
  }
  return text;
}

std::string render_check(const Comparison& comparison, const CheckResult& result, const RenderOptions& options) {
  std::string text;
  const auto line = [&](std::string_view word, Tint tint, const CaseComparison& one, const std::string& what) {
    text += tinted(std::string(word), tint, options.color) + ": " + printable(readable_id(one.id)) +
            (what.empty() ? "" : ": ") + what + "\n";
  };
  for (const Finding& finding : result.findings) {
    const auto& [word, tint] = word_of(finding.severity);
    line(word, tint, *finding.of, printable(finding.message));
  }
  for (const CaseComparison& one : comparison.cases) {
    const std::string note = one.notes.empty() ? "" : message_text(one.first_note(), 2);
    if (one.verdict == Verdict::failed || one.verdict == Verdict::gone)
      line(to_string(one.verdict), Tint::bad, one, note);
    if (one.verdict == Verdict::added)
      line("new", Tint::notice, one, note.empty() ? "the base does not have it" : note);
  }
  for (const Uncompared& one : result.uncompared)
    line("not compared", result.allow_uncompared ? Tint::notice : Tint::bad, *one.of, printable(one.why));
  for (const LimitUse& use : result.limits) {
    if (use.why.empty()) continue;
    text += tinted("judged nothing", use.soft ? Tint::notice : Tint::bad, options.color) +
            fmt::format(": the limit {}: {}\n", printable(use.text), printable(use.why));
  }
  for (const std::string& remark : result.remarks) text += "note: " + printable(remark) + "\n";
  const int code = exit_code(comparison, result);
  const std::size_t broken = comparison.count(Verdict::failed) + comparison.count(Verdict::gone);
  text += fmt::format("{} compared: {}", result.compared,
                      tinted(code == 0 ? "pass" : "fail", code == 0 ? Tint::good : Tint::bad, options.color));
  text +=
      fmt::format(" ({} beyond limits, {} failed or gone, {} warnings, {} accepted)\n", result.count(Severity::failure),
                  broken, result.count(Severity::warning), result.count(Severity::accepted));
  std::vector<std::string> others;
  const auto count = [&](std::size_t cases, std::string_view what) {
    if (cases > 0) others.push_back(fmt::format("{} {}", cases, what));
  };
  count(result.uncompared.size(), "not compared");
  count(comparison.count(Verdict::added), "new");
  count(result.count(Severity::better), "better than a limit");
  if (!others.empty()) text += "besides: " + join(others, ", ") + "\n";
  return text + judged_line(result) + "\n";
}

}  // namespace tally
