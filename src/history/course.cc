#include "history/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "comparison/device_change.h"

namespace tally {
namespace {

double size_of(const CountChange& counts) { return std::abs(counts.change); }

/// Follows one case from point to point.
class CaseFollower {
 public:
  CaseFollower(const History& history, const CaseSeries& series, const CourseOptions& options)
      : history_(history), options_(options), is_python_(series.language == "python") {
    for (const AgreedAt& one : options.agreed) {
      if (one.by.is_about(series.id)) agreed_.push_back(&one);
    }
  }

  /// `point` has a count.
  CoursePoint follow(const SeriesPoint& point) {
    CoursePoint next{.of = &point, .since = last_ == nullptr ? 0 : last_->run};
    if (last_ == nullptr) return begin(std::move(next));
    next.why = why_not_comparable(point);
    if (next.why.empty()) next.why = why_no_figures(point);
    if (!next.why.empty()) {
      next.kind = CoursePoint::Kind::seam;
      return begin(std::move(next));
    }
    next.counts = change_since(*last_, point);
    const bool crosses = environment_of(point) != environment_of(*last_);
    if (crosses && is_real(next.counts)) {
      next.kind = CoursePoint::Kind::chained;
      return begin(std::move(next));
    }
    if (!crosses && is_real(next.counts)) {
      next.kind = CoursePoint::Kind::step;
      return begin(std::move(next));
    }
    next.kind = crosses ? CoursePoint::Kind::joined : CoursePoint::Kind::same;
    if (next.counts.after != next.counts.before) small_.emplace_back(point.run, next.counts.after > next.counts.before);
    last_ = &point;
    return next;
  }

  /// Starts the sum anew at the last point, where the drift up to there was acknowledged. Returns that drift, if it is
  /// real.
  std::optional<SettledDrift> settle(std::size_t of) {
    const auto agrees = [&](const AgreedAt* one) {
      const CountChange counts = change_since(*anchor_, *last_);
      return one->run == last_->run && one->by.metric == counts.metric && one->by.allows(counts.change);
    };
    const auto found = std::ranges::find_if(agreed_, agrees);
    if (found == agreed_.end()) return std::nullopt;
    auto settled = drift(of);
    anchor_ = last_;
    small_.clear();
    if (!settled || settled->counts.change < 0) return std::nullopt;
    return SettledDrift{.drift = *std::move(settled), .by = (*found)->by};
  }

  /// What has added up since the course began anew; nothing where that is not real.
  [[nodiscard]] std::optional<Drift> drift(std::size_t of) const {
    if (last_ == nullptr) return std::nullopt;
    const CountChange counts = change_since(*anchor_, *last_);
    if (!is_real(counts)) return std::nullopt;
    Drift drift{.of = of, .since = anchor_->run, .until = last_->run, .counts = counts, .contributors = {}};
    for (const auto& [run, is_more] : small_) {
      if (is_more == (counts.after > counts.before)) drift.contributors.push_back(run);
    }
    return drift;
  }

 private:
  CoursePoint begin(CoursePoint point) {
    anchor_ = last_ = point.of;
    small_.clear();
    return point;
  }

  [[nodiscard]] const std::string& environment_of(const SeriesPoint& point) const {
    return history_.runs[point.run].environment;
  }

  [[nodiscard]] std::string why_not_comparable(const SeriesPoint& point) const {
    const std::string& processor = history_.part_of(point).processor;
    const std::string& before_it = history_.part_of(*last_).processor;
    if (is_of_kernels(point) && processor != before_it)
      return "measured on another machine, whose libraries may choose other kernels";
    const bool is_bridge = history_.line.measured[point.run] == history_.line.measured[last_->run];
    if (!is_bridge && environment_of(point) != environment_of(*last_))
      return "measured in another environment, and no commit in both";
    if (point.basis == last_->basis) return {};
    const Basis& before = history_.bases[last_->basis];
    const Basis& after = history_.bases[point.basis];
    if (before.definition != after.definition) return "the definition changed under this id";
    if (before.metric != after.metric)
      return fmt::format("its {} stand against its {}", to_string(after.metric), to_string(before.metric));
    if (before.unit != after.unit) return fmt::format("its unit is '{}' instead of '{}'", after.unit, before.unit);
    return tally::why_not_comparable(before.terms, after.terms);
  }

  [[nodiscard]] bool is_of_kernels(const SeriesPoint& point) const {
    return history_.basis_of(point).metric == Metric::kernels;
  }

  [[nodiscard]] std::string why_no_figures(const SeriesPoint& point) const {
    if (history_.basis_of(point).metric != Metric::instructions) return {};
    return tally::why_no_figures(last_->figure, point.figure, options_.threshold);
  }

  [[nodiscard]] CountChange change_since(const SeriesPoint& before, const SeriesPoint& after) const {
    const Basis& basis = history_.basis_of(after);
    if (basis.metric == Metric::kernels) return kernels_change(before.figure, after.figure);
    if (basis.metric == Metric::instructions)
      return count_change(figures_of(before), figures_of(after), is_python_, options_.threshold, options_.denoise);
    const auto reported = [&](const SeriesPoint& point) {
      return ReportedFigure{.metric = basis.metric, .value = point.figure, .unit = basis.unit, .floor = point.floor};
    };
    return reported_change(reported(before), reported(after), options_.threshold);
  }

  const History& history_;
  const CourseOptions& options_;
  bool is_python_;
  std::vector<const AgreedAt*> agreed_ = {};  ///< About this case.
  const SeriesPoint* last_ = nullptr;
  const SeriesPoint* anchor_ = nullptr;                   ///< The first since a change or a seam.
  std::vector<std::pair<std::size_t, bool>> small_ = {};  ///< Runs whose count moved since, and whether upward.
};

/// Of after / before over the cases of one run. Infinities (from nothing, to nothing) have no place in a mean.
struct Mean {
  double logarithms = 0;
  std::size_t terms = 0;

  void add(const CountChange& counts) {
    if (counts.metric != Metric::instructions) return;
    if (counts.before <= 0 || counts.after <= 0) return;
    if (counts.before != counts.after) logarithms += std::log(counts.after / counts.before);
    ++terms;
  }
  [[nodiscard]] double value() const { return terms == 0 ? 1 : std::exp(logarithms / static_cast<double>(terms)); }
};

EpochStart epoch_at(const History& history, std::size_t run) {
  return {.before = history.runs[run - 1].environment,
          .after = history.runs[run].environment,
          .is_bridged = history.line.measured[run - 1] == history.line.measured[run],
          .joined = 0,
          .chained = {}};
}

void enter(CourseEntry& entry, Mean& mean, std::size_t of, CoursePoint point) {
  using Kind = CoursePoint::Kind;
  if (point.kind == Kind::seam && entry.epoch && !entry.epoch->is_bridged) return;  // One line reports it for all.
  if (point.kind == Kind::seam) entry.seams.push_back({of, std::move(point.why)});
  if (entry.epoch && point.kind == Kind::joined && point.counts.metric != Metric::kernels) ++entry.epoch->joined;
  if (entry.epoch && point.kind == Kind::chained)
    entry.epoch->chained.push_back({.of = of, .since = point.since, .counts = point.counts});
  if (point.kind == Kind::step) entry.steps.push_back({.of = of, .since = point.since, .counts = point.counts});
  if ((point.kind == Kind::step || point.kind == Kind::same) && point.counts.metric != Metric::kernels) {
    ++entry.compared;
    mean.add(point.counts);
  }
}

}  // namespace

Course course_of(const History& history, const CourseOptions& options) {
  Course course;
  course.entries.resize(history.runs.size());
  for (std::size_t run = 1; run < history.runs.size(); ++run) {
    if (history.runs[run].environment != history.runs[run - 1].environment)
      course.entries[run].epoch = epoch_at(history, run);
  }
  std::vector<Mean> means(history.runs.size());
  for (std::size_t of = 0; of < history.cases.size(); ++of) {
    CaseFollower follower(history, history.cases[of], options);
    for (const SeriesPoint& point : history.cases[of].points) {
      CourseEntry& entry = course.entries[point.run];
      if (point.has_figure()) {
        enter(entry, means[point.run], of, follower.follow(point));
        if (auto settled = follower.settle(of)) course.settled.push_back(*std::move(settled));
      } else if (point.status != CaseStatus::ok && point.status != CaseStatus::skipped) {
        entry.failed.push_back(of);
      }
    }
    if (auto drift = follower.drift(of)) course.drifts.push_back(*std::move(drift));
  }
  const auto larger = [&](const auto& a, const auto& b) {
    if (size_of(a.counts) != size_of(b.counts)) return size_of(a.counts) > size_of(b.counts);
    return history.cases[a.of].id < history.cases[b.of].id;
  };
  for (std::size_t run = 0; run < course.entries.size(); ++run) {
    CourseEntry& entry = course.entries[run];
    entry.geometric_mean = means[run].value();
    std::ranges::sort(entry.steps, larger);
    if (entry.epoch) std::ranges::sort(entry.epoch->chained, larger);
  }
  std::ranges::sort(course.drifts, larger);
  return course;
}

std::vector<CoursePoint> course_of_case(const History& history, const CaseSeries& series,
                                        const CourseOptions& options) {
  CaseFollower follower(history, series, options);
  std::vector<CoursePoint> points;
  for (const SeriesPoint& point : series.points) {
    if (point.has_figure()) points.push_back(follower.follow(point));
  }
  return points;
}

}  // namespace tally
