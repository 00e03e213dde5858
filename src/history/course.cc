#include "history/course.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace tally {
namespace {

/// Where the course of a case stands.
struct Track {
  std::size_t run = 0;
  const CaseRecord* last = nullptr;
  std::size_t anchor_run = 0;
  const CaseRecord* anchor = nullptr;                 ///< The first since a change or a seam.
  std::vector<std::pair<std::size_t, double>> small;  ///< Runs whose count moved since the anchor, and by how much.

  void begin(std::size_t at, const CaseRecord& one) { *this = {at, &one, at, &one, {}}; }
};

std::string seam_between(const Record& before_run, const CaseRecord& before, const Record& run, const CaseRecord& one) {
  if (before.definition.digest != one.definition.digest) return "the definition changed under this id";
  return why_not_comparable(before_run.settings, before, run.settings, one);
}

bool has_count(const CaseRecord& one) { return one.status == CaseStatus::ok && one.counts.has_value(); }

double size_of(const CountChange& counts) { return std::abs(counts.change); }

/// Infinities (from nothing, to nothing) have no place in a mean.
void add_to_mean(const CountChange& counts, double& logarithms, std::size_t& terms) {
  if (counts.before <= 0 || counts.after <= 0) return;
  logarithms += std::log(counts.after / counts.before);
  ++terms;
}

/// Follows the course of all cases from run to run.
class Follower {
 public:
  Follower(std::span<const Record* const> runs, const CourseOptions& options) : runs_(runs), options_(options) {}

  CourseEntry follow(std::size_t at) {
    CourseEntry entry;
    double logarithms = 0;
    std::size_t terms = 0;
    for (const CaseRecord& one : runs_[at]->cases) {
      const bool failed = one.status != CaseStatus::ok && one.status != CaseStatus::skipped;
      if (failed) entry.failed.push_back(one.id);
      if (!has_count(one)) continue;
      Track& track = tracks_[one.id];
      if (track.last == nullptr) {
        track.begin(at, one);
        continue;
      }
      const std::string seam = seam_between(*runs_[track.run], *track.last, *runs_[at], one);
      if (!seam.empty()) {
        entry.seams.push_back({one.id, seam});
        track.begin(at, one);
        continue;
      }
      const CountChange counts = count_change(*track.last, one, options_.threshold, options_.denoise);
      ++entry.compared;
      add_to_mean(counts, logarithms, terms);
      if (is_real(counts)) {
        entry.steps.push_back({.id = one.id, .since = track.run, .counts = counts});
        track.begin(at, one);
        continue;
      }
      if (counts.after != counts.before) track.small.emplace_back(at, counts.after - counts.before);
      track.run = at;
      track.last = &one;
    }
    if (terms > 0) entry.geometric_mean = std::exp(logarithms / static_cast<double>(terms));
    std::ranges::sort(entry.steps, [](const CountStep& a, const CountStep& b) {
      return size_of(a.counts) != size_of(b.counts) ? size_of(a.counts) > size_of(b.counts) : a.id < b.id;
    });
    return entry;
  }

  [[nodiscard]] std::vector<Drift> drifts() const {
    std::vector<Drift> drifts;
    for (const auto& [id, track] : tracks_) {
      const CountChange counts = count_change(*track.anchor, *track.last, options_.threshold, options_.denoise);
      if (!is_real(counts)) continue;
      Drift& drift = drifts.emplace_back(
          Drift{.id = std::string(id), .since = track.anchor_run, .counts = counts, .contributors = {}});
      for (const auto& [run, by] : track.small) {
        if ((by > 0) == (counts.after > counts.before)) drift.contributors.push_back(run);
      }
    }
    std::ranges::sort(drifts, [](const Drift& a, const Drift& b) {
      return size_of(a.counts) != size_of(b.counts) ? size_of(a.counts) > size_of(b.counts) : a.id < b.id;
    });
    return drifts;
  }

 private:
  std::span<const Record* const> runs_;
  const CourseOptions& options_;
  std::unordered_map<std::string_view, Track> tracks_;
};

}  // namespace

Course course_of(std::span<const Record* const> runs, const CourseOptions& options) {
  Follower follower(runs, options);
  Course course;
  course.entries.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) course.entries.push_back(follower.follow(i));
  course.drifts = follower.drifts();
  return course;
}

std::vector<CoursePoint> course_of_case(std::span<const Record* const> runs, std::string_view id,
                                        const CourseOptions& options) {
  std::vector<CoursePoint> points;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CaseRecord* const one = find_case(*runs[i], id);
    if (one == nullptr || !has_count(*one)) continue;
    CoursePoint point{.run = i, .of = one};
    if (!points.empty()) {
      const CoursePoint& before = points.back();
      point.is_seam = !seam_between(*runs[before.run], *before.of, *runs[i], *one).empty();
      if (!point.is_seam) point.counts = count_change(*before.of, *one, options.threshold, options.denoise);
      point.is_step = !point.is_seam && is_real(point.counts);
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace tally
