#include "run/same_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace tally {

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

std::vector<ResultVerdict> judge_results(const ExaminationResult& a, const ExaminationResult& b) {
  const auto side = [](const ExaminationResult& examined, std::size_t i) {
    const auto& failure = examined.cases[i].failure;
    return SideResult{examined.results[i], failure ? failure->message : std::string()};
  };
  std::vector<ResultVerdict> verdicts;
  verdicts.reserve(a.cases.size());
  for (std::size_t i = 0; i < a.cases.size(); ++i)
    verdicts.push_back(judge_results(a.cases[i].id, side(a, i), side(b, i)));
  return verdicts;
}

}  // namespace tally
