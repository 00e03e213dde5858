#include "cli/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "base/contains.h"
#include "base/date.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/refuse.h"
#include "comparison/check.h"
#include "git/repository.h"
#include "process/real_runner.h"
#include "records/kept_lines.h"
#include "records/record_files.h"
#include "report/json/comparison_json.h"
#include "report/json/google_benchmark.h"
#include "report/text/comparison_table.h"
#include "report/text/exports.h"
#include "run/confirm.h"

namespace tally::cli {
namespace {

constexpr std::size_t kFunctionsShown = 10;

Result<std::vector<Limit>> read_limits(const CheckCommandOptions& options) {
  std::vector<Limit> limits;
  const auto add = [&limits](const std::vector<std::string>& texts, auto parse, bool soft) -> Status {
    for (const std::string& text : texts) {
      Result<Limit> limit = parse(text);
      if (!limit) return std::unexpected(limit.error());
      limit->soft = soft;
      limits.push_back(std::move(*limit));
    }
    return {};
  };
  if (options.limits.empty()) limits.push_back({.is_default = true, .text = "instructions=+1%"});
  if (const Status status = add(options.limits, parse_limit, false); !status) return std::unexpected(status.error());
  if (const Status status = add(options.limits_for, parse_limit_for, false); !status)
    return std::unexpected(status.error());
  if (const Status status = add(options.soft, parse_limit, true); !status) return std::unexpected(status.error());
  return limits;
}

Result<std::vector<Acceptance>> read_accept(const std::string& path) {
  if (path.empty()) return std::vector<Acceptance>{};
  const Result<std::string> text = read_file(path);
  if (!text) return std::unexpected(text.error());
  auto file = parse_accept_file(*text, path);
  if (!file) return std::unexpected(file.error());
  return std::move(file->accepted);
}

/// Whether `one` is `tip` or comes before it; nothing where the repository does not have both.
std::optional<bool> leads_to(const Repository& repository, const std::string& one, const std::string& tip) {
  const auto base = repository.merge_base(one, tip);
  if (!base) return std::nullopt;
  return *base && **base == one;
}

/// Of the commits that acceptances name those that are not between the sides, by the repository that we are in. Where
/// it does not know, they may be.
std::vector<std::string> commits_elsewhere(const Context& context, const std::vector<Acceptance>& accepted,
                                           const Record& base, const Record& next) {
  std::vector<std::string> elsewhere;
  const bool has_commits = std::ranges::any_of(accepted, [](const Acceptance& one) { return !one.commit.empty(); });
  if (!has_commits || !base.source || !next.source) return elsewhere;
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const auto repository = Repository::find(runner, context.environment, context.working_folder);
  if (!repository || !*repository) return elsewhere;
  for (const Acceptance& one : accepted) {
    if (one.commit.empty()) continue;
    const auto commit = (*repository)->commit(one.commit);
    if (!commit) continue;
    const auto in_base = leads_to(**repository, commit->id, base.source->commit);
    const auto in_next = leads_to(**repository, commit->id, next.source->commit);
    if (in_base.value_or(false) || !in_next.value_or(true)) elsewhere.push_back(one.commit);
  }
  return elsewhere;
}

Status check_age(const Record& base, const CheckCommandOptions& options, const std::string& today) {
  if (options.max_age_days <= 0) return {};
  const auto then = parse_date(base.started.substr(0, 10));
  const auto now = parse_date(today);
  if (!then || !now) {
    return fail(ErrorKind::input, fmt::format("the baseline's date '{}' cannot be read", base.started), options.base,
                "measure a new baseline, or give --max-age 0");
  }
  const auto age = (*now - *then).count();
  constexpr auto clocks_differ_by = 1;  // days: time zones, and clocks that are off
  if (age < -clocks_differ_by) {
    return fail(ErrorKind::input, fmt::format("the baseline is of the future: {}", base.started), options.base,
                "set the clock, or measure a new baseline");
  }
  if (static_cast<double>(age) <= options.max_age_days) return {};
  return fail(ErrorKind::input,
              fmt::format("the baseline is stale: {} days old, at most {} are allowed", age, options.max_age_days),
              options.base, "measure a new baseline, or give --max-age DAYS");
}

std::vector<std::string> suspects_of(const CheckResult& result) {
  std::vector<std::string> ids;
  for (const Finding& finding : result.findings) {
    const bool known = std::ranges::find(ids, finding.of->id) != ids.end();
    if (finding.severity == Severity::failure && !known) ids.push_back(finding.of->id);
  }
  return ids;
}

int write_files(const Comparison& comparison, const CheckResult& result, const CheckCommandOptions& options,
                std::ostream& out, std::ostream& err) {
  const std::pair<const std::string&, std::string> files[] = {
      {options.markdown, to_markdown(comparison, &result, options.functions ? kFunctionsShown : 0)},
      {options.junit, to_junit(comparison, result)},
      {options.csv, to_csv(comparison)},
      {options.benchmark_json, to_google_benchmark(*comparison.next)}};
  const Status written = write_outputs(files, out);
  return written ? 0 : refuse_output("check", written.error(), err);
}

int report_check(const Comparison& comparison, const CheckResult& result, const CheckCommandOptions& options,
                 const RenderOptions& render, std::ostream& out, std::ostream& err) {
  if (options.json) {
    out << to_json(comparison, &result);
  } else {
    if (options.functions)
      out << render_comparison(comparison, {.options = render, .functions = kFunctionsShown}) << '\n';
    // The last line is that of the judgement.
    if (options.github) out << github_annotations(comparison, result);
    out << render_check(comparison, result, render);
  }
  if (options.github && options.json) out << github_annotations(comparison, result);
  const int written = write_files(comparison, result, options, out, err);
  const int code = exit_code(comparison, result);
  if (code == 2 && is_of_something_else(comparison, result)) {
    return refuse("check",
                  {ErrorKind::input, "the baseline is stale: it has nothing that can be compared with the new record",
                   options.base, "measure a new baseline with the same suite and settings"},
                  err);
  }
  return code != 0 ? code : written;
}

/// What only a second measurement uses.
Status check_tools(const CheckCommandOptions& options) {
  if (options.confirm.empty() && !options.program_args.empty()) {
    return fail(ErrorKind::input,
                fmt::format("arguments, but no program that takes them: {}", options.program_args.front()), "--",
                "they go with --confirm PROGRAM");
  }
  if (!options.confirm.empty() || !options.rebase.empty()) return {};
  const std::pair<const char*, const std::string&> tools[] = {{"--env-command", options.env_command},
                                                              {"--cxx", options.cxx},
                                                              {"--python", options.python},
                                                              {"--cores", options.cores}};
  for (const auto& [name, value] : tools) {
    if (!value.empty())
      return fail(ErrorKind::input, "nothing is measured here", name, "it goes with --confirm or --rebase");
  }
  return {};
}

/// The records that are compared.
struct Sides {
  Record base;
  std::string base_path;  ///< Profiles lie beside it.
  Record next;
  std::vector<std::string> others = {};  ///< Ids of cases that are left out.
  std::string note;                      ///< Where the base is not the one that was named.
};

/// Leaves `ids` in both records and nothing else. A case that the baseline does not have cannot be judged.
Status keep_cases(const std::vector<std::string>& ids, const CheckCommandOptions& options, Sides& sides) {
  auto& [base, base_path, next, others, note] = sides;
  for (const std::string& id : ids) {
    if (contains(base.cases, id, &CaseRecord::id)) continue;
    const bool is_new = contains(next.cases, id, &CaseRecord::id);
    return fail(ErrorKind::input,
                fmt::format("{} case '{}'", is_new ? "the baseline has no" : "neither record has a", id), options.base,
                is_new ? "measure a new baseline" : "give an id as `tally list` prints it");
  }
  const auto other = [&ids](const CaseRecord& one) { return !contains(ids, one.id); };
  for (const Record* side : {&base, &next}) {
    for (const CaseRecord& one : side->cases) {
      if (other(one)) others.push_back(one.id);
    }
  }
  std::erase_if(base.cases, other);
  std::erase_if(next.cases, other);
  return {};
}

/// Each once, in the order of cases.
std::vector<std::string> environment_changes_of(const Record& base, const Record& next) {
  std::vector<std::string> changes;
  for (const CaseComparison& one : compare(base, next, {}).cases) {
    for (const std::string& change : one.environment_changes) {
      if (!contains(changes, change)) changes.push_back(change);
    }
  }
  return changes;
}

/// There may be hundreds: each file that a host had in memory is one.
std::string some_of(const std::vector<std::string>& changes) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> first(changes.begin(),
                                       changes.begin() + static_cast<std::ptrdiff_t>(std::min(most, changes.size())));
  return join(first, ", ") + (changes.size() > most ? fmt::format(" and {} more", changes.size() - most) : "");
}

/// Puts the base's commit, measured here, in the place of a base of another environment.
Status rebase_side(const CheckCommandOptions& options, const Rebase& rebase, Sides& sides) {
  if (options.rebase.empty()) return {};
  const std::vector<std::string> changes = environment_changes_of(sides.base, sides.next);
  if (changes.empty()) {
    sides.note = "the base is of the new record's environment: --rebase has nothing to do";
    return {};
  }
  auto rebased = rebase(options.rebase, sides.base, sides.next);
  if (!rebased) return std::unexpected(rebased.error());
  sides.note = fmt::format("the base was built and measured here: {} is of another environment ({})", options.base,
                           some_of(changes));
  sides.base = std::move(rebased->record);
  sides.base_path = std::move(rebased->path);
  if (const auto left = environment_changes_of(sides.base, sides.next); !left.empty()) {
    return fail(ErrorKind::input, fmt::format("is of another environment than this one, too: {}", some_of(left)),
                options.next, "measure it here, with the same compiler, interpreter and environment, and check again");
  }
  return {};
}

Result<Sides> load_sides(const CheckCommandOptions& options, const Rebase& rebase, const std::string& today) {
  auto base = load_record(options.base);
  if (!base) return std::unexpected(base.error());
  auto next = load_record(options.next);
  if (!next) return std::unexpected(next.error());
  Sides sides{.base = *std::move(base), .base_path = options.base, .next = *std::move(next), .note = {}};
  if (!options.cases.empty()) {
    if (const Status kept = keep_cases(options.cases, options, sides); !kept) return std::unexpected(kept.error());
  }
  if (const Status rebased = rebase_side(options, rebase, sides); !rebased) return std::unexpected(rebased.error());
  if (const Status fresh = check_age(sides.base, options, today); !fresh) return std::unexpected(fresh.error());
  return sides;
}

}  // namespace

void add_check_options(OptionSet& sub, CheckCommandOptions& options) {
  sub.add("BASE", &options.base, "Record to compare with").required();
  sub.add("NEW", &options.next, "Record to judge").required();
  sub.add("--limit", &options.limits,
          "Limit for all cases: METRIC=+PERCENT%, METRIC=+AMOUNT or METRIC=CEILING, where METRIC is instructions, "
          "denoised, "
          "time, allocations, bytes or cycles (repeatable; default: instructions=+1%)");
  sub.add("--limit-for", &options.limits_for,
          "Limit for the cases whose id matches, as GLOB:LIMIT; overrides --limit (repeatable)");
  sub.add("--allow-uncompared", &options.allow_uncompared, "Do not fail because of cases that cannot be compared");
  sub.add("--any-environment", &options.any_environment,
          "Fail beyond a limit in a changed environment, too, where it would only warn");
  sub.add("--warn", &options.soft, "Limit that warns and does not fail (repeatable)");
  sub.add("--case", &options.cases, "Judge only the case of this id (repeatable)").one_each().value_name("ID");
  sub.add("--accept", &options.accept, "TOML file of acknowledged regressions (tally-accept.toml)");
  sub.add("--max-age", &options.max_age_days, "Refuse a baseline older than this many days; 0: never").shows_default();
  sub.add("--confirm", &options.confirm,
          "Before failing, measure the suspects again with this suite or benchmark program; a program's own arguments "
          "follow --");
  sub.behind_dashes = &options.program_args;
  sub.add("--rebase", &options.rebase,
          "If the base is of another environment: build its commit with this Bash command and measure it here")
      .value_name("COMMAND");
  sub.add("--env-command", &options.env_command, "For --confirm and --rebase: the --env-command of the new record");
  sub.add("--cxx", &options.cxx, "For --confirm and --rebase: C++ compiler");
  sub.add("--python", &options.python, "For --confirm and --rebase: Python interpreter");
  sub.add("--cores", &options.cores, "For --confirm and --rebase: CPUs to measure on");
  sub.add("--denoise", &options.denoise, kDenoiseHelp);
  sub.add("--functions", &options.functions, "Show which functions changed (needs profiles: tally run --profiles)");
  sub.add("--github", &options.github, "Also print annotations for GitHub Actions");
  sub.add("--json", &options.json, "Print the result as JSON");
  sub.add("--markdown", &options.markdown, "Also write the result as Markdown to this file, for a pull request");
  sub.add("--junit", &options.junit, "Also write the result as JUnit XML to this file");
  sub.add("--csv", &options.csv, "Also write the comparison as CSV to this file");
  sub.add("--benchmark-json", &options.benchmark_json, "Also write NEW in Google Benchmark's JSON to this file");
  sub.footer =
      "Exit codes: 0 pass; 1 a case failed or is gone; 2 wrong usage, the baseline is missing, unreadable or stale, a\n"
      "case could not be compared, or a limit judged nothing; 3 a regression. Of several, 3 comes before 1, and 1 "
      "before "
      "2.\n"
      "The last line says how many cases were judged. See docs/guides/gate.md.";
  add_table_style(sub, options.style);
}

int run_check(const Context& context, const CheckCommandOptions& options, const Remeasure& remeasure,
              const Rebase& rebase, std::ostream& out, std::ostream& err) {
  const auto refused = [&err](const Error& error) {
    return refuse("check", error, err, error.kind == ErrorKind::interrupted ? kInterrupted : kUsage);
  };
  if (const Status sound = check_tools(options); !sound) return refused(sound.error());
  const Result<std::vector<Limit>> limits = read_limits(options);
  if (!limits) return refused(limits.error());
  const Result<std::vector<Acceptance>> accepted = read_accept(options.accept);
  if (!accepted) return refused(accepted.error());
  Result<Sides> sides = load_sides(options, rebase, context.now.substr(0, 10));
  if (!sides) return refused(sides.error());
  auto& [base, base_path, next, others, note] = *sides;

  const Evidence kept = evidence_beside(base, base_path, options.next, &err);
  const std::string today = context.now.substr(0, 10);
  Comparison comparison = compare(base, next, compare_options(options.denoise), kept);
  const CheckOptions how{.allow_uncompared = options.allow_uncompared,
                         .any_environment = options.any_environment,
                         .named = !options.cases.empty(),
                         .elsewhere = commits_elsewhere(context, *accepted, base, next),
                         .others = std::move(others)};
  CheckResult result = check(comparison, *limits, *accepted, today, how);
  const std::vector<std::string> suspects = suspects_of(result);
  if (!options.confirm.empty() && !suspects.empty()) {
    if (!remeasure)
      return refused({ErrorKind::input, "--confirm: this tally cannot measure again", "",
                      "measure the suspects with tally run --filter and check that record"});
    err << fmt::format("tally check: measuring {} suspected {} again\n", suspects.size(),
                       suspects.size() == 1 ? "case" : "cases");
    const Result<Record> again = remeasure(options.confirm, suspects, next);
    if (!again) return refused(again.error());
    replace_cases(next, *again);
    comparison = compare(base, next, compare_options(options.denoise), kept);
    result = check(comparison, *limits, *accepted, today, how);
  }

  if (!note.empty()) result.remarks.insert(result.remarks.begin(), note);
  return report_check(comparison, result, options, rendering(context, options.style), out, err);
}

int run_check(const Context& context, const CheckCommandOptions& options, std::ostream& out, std::ostream& err) {
  const Tools tools = {.cxx = options.cxx, .python = options.python, .env_command = options.env_command};
  return run_check(context, options, remeasure_with(context, tools, options.cores, options.program_args, err),
                   rebase_with(context, tools, options.cores, err), out, err);
}

}  // namespace tally::cli
