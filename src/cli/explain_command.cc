#include "cli/explain_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/debug_packages.h"
#include "cli/refuse.h"
#include "cli/remeasure.h"
#include "comparison/explanation.h"
#include "json/text.h"
#include "records/kept_lines.h"
#include "records/record_files.h"
#include "report/json/explanation_json.h"
#include "report/text/explanation_text.h"

namespace tally::cli {
namespace {

/// What is to be explained: the case that is named, else those that moved.
Result<std::vector<Explanation>> choose(const Comparison& comparison, const ExplainOptions& options) {
  std::vector<Explanation> chosen;
  if (options.only.empty()) {
    for (const CaseComparison& one : comparison.cases) {
      const bool shown = options.top == 0 || chosen.size() < options.top;
      if (shown && has_moved(one)) chosen.push_back(explain(one));
    }
    return chosen;
  }
  const auto named = choose_case(*comparison.next, options.only, options.next);
  if (!named) return std::unexpected(named.error());
  const auto one = std::ranges::find(comparison.cases, (*named)->id, &CaseComparison::id);
  if (one->base == nullptr) {
    return fail(ErrorKind::input, fmt::format("the base has no case '{}'", one->id), options.base,
                "name one that both records have");
  }
  chosen.push_back(explain(*one));
  return chosen;
}

/// As a record's settings, with what is simulated and without times.
Record simulated(const Record& record) {
  Record as = record;
  as.settings.wall = false;
  as.settings.cache_sim = true;
  as.settings.branch_sim = true;
  return as;
}

Status simulate(const Context& context, const ExplainOptions& options, const Comparison& comparison,
                std::vector<Explanation>& explanations, std::ostream& err) {
  std::vector<std::string> ids;
  ids.reserve(explanations.size());
  for (const Explanation& one : explanations) ids.push_back(one.of->id);
  const auto side = [&](const std::string& suite, const std::string& environment, const Record& record) {
    const Remeasure again = remeasure_with(context, {.cxx = {}, .python = {}, .env_command = environment},
                                           options.cores, options.program_args, err);
    return again(suite, ids, simulated(record));
  };
  fmt::print(err, "tally explain: measuring {} of the base with simulated caches and branches\n",
             ids.size() == 1 ? "a case" : "cases");
  const Result<Record> before = side(options.again, options.a, *comparison.base);
  if (!before) return std::unexpected(before.error());
  fmt::print(err, "tally explain: and of the new side\n");
  const Result<Record> after =
      side(options.b_program.empty() ? options.again : options.b_program, options.b, *comparison.next);
  if (!after) return std::unexpected(after.error());
  for (Explanation& one : explanations) {
    const CaseRecord* old = find_case(*before, one.of->id);
    const CaseRecord* now = find_case(*after, one.of->id);
    if (old != nullptr && now != nullptr && old->counts && now->counts) explain_events(*old->counts, *now->counts, one);
  }
  return {};
}

/// What nobody has asked yet, where the answer would help.
std::string hint_of(const std::vector<Explanation>& explanations) {
  const bool disagree = std::ranges::any_of(explanations, [](const Explanation& one) {
    return one.disagreement != Disagreement::none && one.events.empty();
  });
  return disagree ? "which events explain the time: --again SUITE --a '…' --b '…' (the environment of each side), or "
                    "--again OLD --b-program NEW (programs' own arguments follow --)\n"
                  : "";
}

int print(const std::vector<Explanation>& explanations, const Comparison& comparison, const ExplainOptions& options,
          const RenderOptions& render, std::ostream& out) {
  if (options.json) {
    json::Array all;
    for (const Explanation& one : explanations) all.push_back(explanation_json(one));
    out << json::to_text(json::Object{{"cases", std::move(all)}}, 1) << "\n";
    return 0;
  }
  for (const Explanation& one : explanations) out << render_explanation(one, render) << "\n";
  const auto all = static_cast<std::size_t>(std::ranges::count_if(comparison.cases, has_moved));
  const auto is_in_both = [](const CaseComparison& one) { return one.base != nullptr && one.next != nullptr; };
  if (std::ranges::none_of(comparison.cases, is_in_both)) {
    out << "no case is in both records: nothing to explain\n";
    return kFailed;
  }
  if (explanations.empty()) out << "no case moved\n";
  if (options.only.empty() && all > explanations.size())
    out << fmt::format("and {} more that moved (--top 0 explains all)\n", all - explanations.size());
  out << hint_of(explanations);
  return 0;
}

/// What would name the functions that have no name, of the first case that has some.
std::string nameless_note_of(const std::vector<Explanation>& explanations, const std::string& path) {
  for (const Explanation& one : explanations) {
    if (one.of->next == nullptr) continue;
    const auto stored = load_profile(*one.of->next, path);
    std::string note = stored && !stored->profile.totals.empty() ? nameless_note(stored->profile, 0) : std::string();
    if (!note.empty()) return fmt::format("tally explain: {}: note: {}\n", one.of->id, note);
  }
  return {};
}

std::string markdown_of(const std::vector<Explanation>& explanations) {
  std::string text;
  for (const Explanation& one : explanations)
    text += fmt::format("### {}: {}\n\n{}\n", one.of->id, to_string(one.of->verdict), explanation_markdown(one));
  return text;
}

}  // namespace

void add_explain_options(OptionSet& sub, ExplainOptions& options) {
  sub.add("BASE", &options.base, "Record to compare with").required();
  sub.add("NEW", &options.next, "Record to explain").required();
  sub.add("CASE", &options.only, "Case to explain, by id or a part of it (default: the cases that changed)");
  sub.add("--top", &options.top, "Cases to explain, largest change first; 0: all").shows_default();
  sub.add("--denoise", &options.denoise, kDenoiseHelp);
  sub.add("--again", &options.again,
          "Measure the cases again on both sides, with simulated caches and branches: a suite, or the base's program, "
          "whose own arguments follow --")
      .value_name("SUITE");
  sub.behind_dashes = &options.program_args;
  sub.add("--a", &options.a, "For --again: Bash command that sets up the environment of the base")
      .value_name("TEXT")
      .needs("--again");
  sub.add("--b", &options.b, "For --again: Bash command that sets up the environment of the new side")
      .value_name("TEXT")
      .needs("--again");
  sub.add("--b-program", &options.b_program, "For --again: program of the new side, where --again names the base's")
      .value_name("EXE")
      .needs("--again");
  sub.add("--cores", &options.cores, "For --again: CPUs to measure on").needs("--again");
  sub.add("--json", &options.json, "Print the explanation as JSON");
  sub.add("--markdown", &options.markdown, "Also write it as Markdown for a pull request to this file");
  sub.footer =
      "Functions, lines and allocation sites need profiles of both records (tally run --profiles).\n"
      "Exit codes: 0 explained, 2 an unreadable record, or a case that one of them lacks. See docs/guides/explain.md.";
  add_table_style(sub, options.style);
}

int run_explain(const Context& context, const ExplainOptions& options, std::ostream& out, std::ostream& err) {
  const auto refused = [&err](const Error& error) { return refuse("explain", error, err); };
  if (options.again.empty() && !options.program_args.empty()) {
    return refused({ErrorKind::input,
                    fmt::format("arguments, but no program that takes them: {}", options.program_args.front()), "--",
                    "they go with --again PROGRAM"});
  }
  const Result<Record> base = load_record(options.base);
  if (!base) return refused(base.error());
  const Result<Record> next = load_record(options.next);
  if (!next) return refused(next.error());
  if (!options.again.empty() && options.a == options.b && options.b_program.empty()) {
    return refused({ErrorKind::input, "both sides would be the same", "--again",
                    "say how the environment of each is made with --a and --b, or name --b-program"});
  }
  const Comparison comparison =
      compare(*base, *next, compare_options(options.denoise), evidence_beside(*base, options.base, options.next, &err));
  Result<std::vector<Explanation>> explanations = choose(comparison, options);
  if (!explanations) return refused(explanations.error());
  if (!options.again.empty() && !explanations->empty()) {
    if (const Status done = simulate(context, options, comparison, *explanations, err); !done)
      return refused(done.error());
  }
  const int code = print(*explanations, comparison, options, rendering(context, options.style), out);
  err << nameless_note_of(*explanations, options.next);
  if (options.markdown.empty()) return code;
  const Status written = write_output(options.markdown, markdown_of(*explanations), out);
  return written ? code : refuse_output("explain", written.error(), err);
}

}  // namespace tally::cli
