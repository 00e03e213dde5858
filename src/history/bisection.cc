#include "history/bisection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace tally {
namespace {

constexpr double kReal = 1;
/// Steps below the threshold are followed from here on, where they add up to a real change.
constexpr double kFollowed = 0.5;

/// The stretches of neighbouring counts without a real step between any two: what adds up within one is a drift.
template <typename Counted, typename IsStep>
std::vector<std::vector<std::size_t>> stretches(const Counted& counted, const IsStep& is_step) {
  std::vector<std::vector<std::size_t>> all;
  for (const std::size_t commit : counted) {
    if (all.empty() || is_step(all.back().back(), commit)) all.emplace_back();
    all.back().push_back(commit);
  }
  return all;
}

/// How often a range with so many inner commits is halved until it is one commit.
std::size_t halvings(std::size_t inner) { return static_cast<std::size_t>(std::bit_width(inner)); }

}  // namespace

Bisection::Bisection(std::size_t last, std::size_t cases, Distance distance, BisectionOptions options)
    : last_(last), tracks_(cases), distance_(std::move(distance)), options_(options) {}

void Bisection::set_count(std::size_t which, std::size_t commit) { tracks_[which].counted.insert(commit); }

void Bisection::set_no_count(std::size_t which, std::size_t commit) { tracks_[which].countless.insert(commit); }

void Bisection::set_unbuildable(std::size_t commit) { unbuildable_.insert(commit); }

bool Bisection::is_comparable(std::size_t which) const {
  return tracks_[which].counted.contains(0) && tracks_[which].counted.contains(last_);
}

bool Bisection::may_be_measured(std::size_t which, std::size_t commit) const {
  const Track& track = tracks_[which];
  return !unbuildable_.contains(commit) && !track.counted.contains(commit) && !track.countless.contains(commit);
}

double Bisection::thresholds(std::size_t which, std::size_t before, std::size_t after) const {
  return distance_(which, before, after).thresholds;
}

std::size_t Bisection::unmeasurable_between(std::size_t which, std::size_t since, std::size_t at) const {
  const Track& track = tracks_[which];
  std::size_t count = 0;
  for (std::size_t commit = since + 1; commit < at; ++commit)
    count += unbuildable_.contains(commit) || track.countless.contains(commit);
  return count;
}

std::optional<std::size_t> Bisection::middle_of(const Gap& gap) const {
  std::size_t best_begin = 0;
  std::size_t best_length = 0;
  std::size_t failures = 0;
  for (std::size_t begin = gap.since + 1; begin < gap.at;) {
    std::size_t end = begin;
    while (end < gap.at && may_be_measured(gap.which, end)) ++end;
    if (end - begin > best_length) {
      best_begin = begin;
      best_length = end - begin;
    }
    failures += end < gap.at;
    begin = end + 1;
  }
  if (best_length == 0 || failures >= options_.most_unmeasurable) return std::nullopt;
  return best_begin + best_length / 2;
}

void Bisection::add_open_gaps(std::size_t which, std::vector<Gap>& gaps) const {
  const auto is_step = [&](std::size_t before, std::size_t after) {
    return std::abs(thresholds(which, before, after)) > kReal;
  };
  const auto add = [&](std::size_t since, std::size_t at) {
    const Gap gap{which, since, at, std::abs(distance_(which, since, at).relative)};
    if (middle_of(gap)) gaps.push_back(gap);
  };
  const std::set<std::size_t>& counted = tracks_[which].counted;
  for (auto at = counted.begin(); at != counted.end() && std::next(at) != counted.end(); ++at) {
    if (is_step(*at, *std::next(at))) add(*at, *std::next(at));
  }
  for (const std::vector<std::size_t>& stretch : stretches(counted, is_step)) {
    if (stretch.size() < 2 || !is_step(stretch.front(), stretch.back())) continue;
    for (std::size_t i = 0; i + 1 < stretch.size(); ++i) {
      if (std::abs(thresholds(which, stretch[i], stretch[i + 1])) >= kFollowed) add(stretch[i], stretch[i + 1]);
    }
  }
}

std::vector<Bisection::Gap> Bisection::open_gaps() const {
  std::vector<Gap> gaps;
  for (std::size_t which = 0; which < tracks_.size(); ++which) {
    if (is_comparable(which)) add_open_gaps(which, gaps);
  }
  return gaps;
}

std::optional<Bisection::Next> Bisection::next() const {
  for (const std::size_t end : {std::size_t{0}, last_}) {
    Next next{.commit = end, .cases = {}};
    for (std::size_t which = 0; which < tracks_.size(); ++which) {
      if (may_be_measured(which, end)) next.cases.push_back(which);
    }
    if (!next.cases.empty()) return next;
  }
  const std::vector<Gap> gaps = open_gaps();
  if (gaps.empty()) return std::nullopt;
  const auto largest = std::ranges::max_element(gaps, {}, &Gap::size);  // the first of equal ones
  Next next{.commit = *middle_of(*largest), .cases = {}};
  for (const Gap& gap : gaps) {
    const bool inside = gap.since < next.commit && next.commit < gap.at;
    if (inside && may_be_measured(gap.which, next.commit)) next.cases.push_back(gap.which);
  }
  return next;
}

Bisection::Left Bisection::left() const {
  Left left;
  for (const std::size_t end : {std::size_t{0}, last_}) {
    for (std::size_t which = 0; which < tracks_.size(); ++which) {
      if (!may_be_measured(which, end)) continue;
      // Nothing is known yet of what lies between.
      const std::size_t ends = end == 0 ? 2 : 1;
      left.at_most = ends + last_ - 1;
      left.of_one_change = ends + halvings(last_ - 1);
      return left;
    }
  }
  std::set<std::size_t> commits;
  for (const Gap& gap : open_gaps()) {
    std::size_t inner = 0;
    for (std::size_t commit = gap.since + 1; commit < gap.at; ++commit) {
      if (!may_be_measured(gap.which, commit)) continue;
      commits.insert(commit);
      ++inner;
    }
    left.of_one_change = std::max(left.of_one_change, halvings(inner));
  }
  left.at_most = commits.size();
  return left;
}

void Bisection::add_findings(std::size_t which, std::vector<BisectionFinding>& findings) const {
  const auto is_step = [&](std::size_t before, std::size_t after) {
    return std::abs(thresholds(which, before, after)) > kReal;
  };
  const auto parts = stretches(tracks_[which].counted, is_step);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::vector<std::size_t>& part = parts[i];
    if (i > 0) findings.push_back({which, parts[i - 1].back(), part.front(), false, {}});
    const double sum = thresholds(which, part.front(), part.back());
    if (std::abs(sum) <= kReal) continue;
    BisectionFinding drift{which, part.front(), part.back(), true, {}};
    for (std::size_t k = 0; k + 1 < part.size(); ++k) {
      const double step = thresholds(which, part[k], part[k + 1]);
      if (step * sum > 0 && std::abs(step) >= kFollowed) drift.contributors.emplace_back(part[k], part[k + 1]);
    }
    findings.push_back(std::move(drift));
  }
}

std::vector<BisectionFinding> Bisection::findings() const {
  std::vector<BisectionFinding> findings;
  for (std::size_t which = 0; which < tracks_.size(); ++which) {
    if (is_comparable(which)) add_findings(which, findings);
  }
  std::ranges::sort(findings, {},
                    [](const BisectionFinding& one) { return std::tuple(one.at, one.since, one.which, one.is_drift); });
  return findings;
}

}  // namespace tally
