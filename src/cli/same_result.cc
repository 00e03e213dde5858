#include "cli/same_result.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "base/utf8.h"

namespace tally::cli {

namespace {

constexpr std::size_t kShown = 160;

/// The line that holds the first difference, from a little before it.
std::string excerpt(const std::string& text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  std::size_t begin = at - line > kShown / 2 ? at - kShown / 4 : line;
  while (begin > line && continues_letter(text[begin])) --begin;
  std::size_t end = std::min(text.find('\n', begin), text.size());
  const bool cut = end - begin > kShown;
  if (cut) end = begin + kShown;
  while (cut && continues_letter(text[end])) --end;
  if (end <= begin) return "(nothing)";
  return fmt::format("{}{}{}", begin > line ? "…" : "", text.substr(begin, end - begin), cut ? "…" : "");
}

}  // namespace

std::string_view to_string(Sameness sameness) {
  switch (sameness) {
    case Sameness::same:
      return "same";
    case Sameness::differs:
      return "differs";
    case Sameness::unknown:
      break;
  }
  return "unknown";
}

ResultVerdict judge_results(const std::string& id, const SideResult& a, const SideResult& b) {
  ResultVerdict verdict{.id = id, .sameness = Sameness::unknown, .why = {}, .a = {}, .b = {}};
  for (const auto& [name, side] : {std::pair{'A', &a}, {'B', &b}}) {
    if (side->result) continue;
    verdict.why = fmt::format("{}: {}", name, side->failure.empty() ? "not executed" : trim(first_line(side->failure)));
    return verdict;
  }
  // What varies on one side alone says nothing of the other.
  for (const auto& [name, side] : {std::pair{'A', &a}, {'B', &b}}) {
    if (!side->result->varies) continue;
    verdict.why = fmt::format("{}: {}", name, side->result->refusal);
    return verdict;
  }
  const std::string& left = a.result->text;
  const std::string& right = b.result->text;
  if (left != right) {
    const auto [at, other] = std::ranges::mismatch(left, right);
    verdict.sameness = Sameness::differs;
    verdict.a = excerpt(left, static_cast<std::size_t>(at - left.begin()));
    verdict.b = excerpt(right, static_cast<std::size_t>(other - right.begin()));
    return verdict;
  }
  verdict.why = a.result->refusal.empty() ? b.result->refusal : a.result->refusal;
  if (verdict.why.empty()) verdict.sameness = Sameness::same;
  return verdict;
}

std::vector<ResultVerdict> judge_results(const Measured& a, const Measured& b) {
  const auto side = [](const Measured& measured, std::size_t i) {
    const auto& failure = measured.record.cases[i].failure;
    return SideResult{measured.results[i], failure ? failure->message : std::string()};
  };
  std::vector<ResultVerdict> verdicts;
  verdicts.reserve(a.record.cases.size());
  for (std::size_t i = 0; i < a.record.cases.size(); ++i)
    verdicts.push_back(judge_results(a.record.cases[i].id, side(a, i), side(b, i)));
  return verdicts;
}

void note_results(std::span<const ResultVerdict> verdicts, Comparison& comparison) {
  for (CaseComparison& one : comparison.cases) {
    const auto found = std::ranges::find(verdicts, one.id, &ResultVerdict::id);
    if (found == verdicts.end()) continue;
    one.result = to_string(found->sameness);
    if (found->sameness == Sameness::differs)
      one.notes.push_back(fmt::format("THE RESULTS DIFFER: A left {}; B left {}", found->a, found->b));
    if (found->sameness == Sameness::unknown)
      one.notes.push_back(fmt::format("the results cannot be compared: {}", found->why));
  }
}

void print_results(std::span<const ResultVerdict> verdicts, std::ostream& out) {
  const auto count = [&](Sameness sameness) {
    return std::ranges::count(verdicts, sameness, &ResultVerdict::sameness);
  };
  for (const ResultVerdict& verdict : verdicts) {
    if (verdict.sameness == Sameness::differs)
      fmt::print(out, "THE RESULTS DIFFER: {}\n  A left {}\n  B left {}\n", verdict.id, verdict.a, verdict.b);
    if (verdict.sameness == Sameness::unknown)
      fmt::print(out, "the results cannot be compared: {}\n  {}\n", verdict.id, verdict.why);
  }
  fmt::print(out, "results: {} the same, {} different, {} that cannot be compared\n", count(Sameness::same),
             count(Sameness::differs), count(Sameness::unknown));
}

}  // namespace tally::cli
