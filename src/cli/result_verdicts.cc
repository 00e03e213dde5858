#include "cli/result_verdicts.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include "base/readable_id.h"

#include <algorithm>
#include <ostream>

namespace tally::cli {

void note_results(std::span<const ResultVerdict> verdicts, Comparison& comparison) {
  for (CaseComparison& one : comparison.cases) {
    const auto found = std::ranges::find(verdicts, one.id, &ResultVerdict::id);
    if (found == verdicts.end()) continue;
    one.result = to_string(found->sameness);
    if (found->sameness == Sameness::differs)
      one.notes.push_back(
          {NoteCode::results_differ, fmt::format("THE RESULTS DIFFER: A left {}; B left {}", found->a, found->b)});
    if (found->sameness == Sameness::unknown)
      one.notes.push_back({NoteCode::results_unknown, fmt::format("the results cannot be compared: {}", found->why)});
  }
}

void print_results(std::span<const ResultVerdict> verdicts, std::ostream& out) {
  const auto count = [&](Sameness sameness) {
    return std::ranges::count(verdicts, sameness, &ResultVerdict::sameness);
  };
  for (const ResultVerdict& verdict : verdicts) {
    if (verdict.sameness == Sameness::differs)
      fmt::print(out, "THE RESULTS DIFFER: {}\n  A left {}\n  B left {}\n", readable_id(verdict.id), verdict.a,
                 verdict.b);
    if (verdict.sameness == Sameness::unknown)
      fmt::print(out, "the results cannot be compared: {}\n  {}\n", readable_id(verdict.id), verdict.why);
  }
  fmt::print(out, "results: {} the same, {} different, {} that cannot be compared\n", count(Sameness::same),
             count(Sameness::differs), count(Sameness::unknown));
}

}  // namespace tally::cli
