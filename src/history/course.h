/// The course of counts from commit to commit: steps, drifts, seams. Pure.
///
/// What a benchmark reports in place of a count (a value, its peak of memory) is followed as counts are; a larger one
/// is worse. So are the kernels of a case on a device, of which one more is a change. "Count" stands for all of them
/// below, but the mean is of counts alone.
///
/// A count repeats to the instruction, so where two runs differ by more than the threshold, the code between them did
/// it: the change belongs to the later run's commit, or to that and the commits before it that nobody measured. Two
/// changes that cancel each other between two measured commits are not seen.
///
/// What cannot be compared is a seam, not a change: another definition under the same id, other iterations, simulated
/// caches, a count below zero; of kernels, another machine. The course of the case begins anew there. A commit at which
/// a case failed, or was skipped, is passed over: what comes after is compared with what came before.
///
/// Another environment (compiler, C library, processor, interpreter) is an epoch of its own. Where one commit was
/// measured in both, a case whose counts agree there continues as if nothing had been; of another the ratio is known,
/// and its course begins anew, as that of all cases does where no commit was measured in both.
///
/// Where a case's drift up to a commit was acknowledged, the sum starts anew there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison/accept.h"
#include "comparison/count_change.h"
#include "history/series.h"

namespace tally {

/// An acceptance that names a commit, and the run at which it is in force.
struct AgreedAt {
  std::size_t run = 0;
  Acceptance by;
};

struct CourseOptions {
  CountThreshold threshold = {};
  bool denoise = false;
  std::vector<AgreedAt> agreed = {};
};

/// A count that changed.
struct CountStep {
  std::size_t of = 0;     ///< Its place in History::cases.
  std::size_t since = 0;  ///< The run that it was compared with.
  CountChange counts;

  [[nodiscard]] bool is_slower() const { return counts.after > counts.before; }
};

struct Seam {
  std::size_t of = 0;  ///< As above.
  std::string why;
};

/// The first run in an environment.
struct EpochStart {
  std::string before;
  std::string after;
  bool is_bridged = false;         ///< The commit was measured in both.
  std::size_t joined = 0;          ///< Cases whose counts agree at the bridge.
  std::vector<CountStep> chained;  ///< The others, largest change first: what the environment does to them.
};

/// One run beside those before it.
struct CourseEntry {
  std::size_t compared = 0;   ///< Cases with a count on both sides; of itself, whatever is known of their kernels.
  double geometric_mean = 1;  ///< Of after / before over those that were counted.
  std::optional<EpochStart> epoch;
  std::vector<CountStep> steps;     ///< By size of the change, largest first; equal ones by id.
  std::vector<Seam> seams;          ///< In the order of cases.
  std::vector<std::size_t> failed;  ///< Cases, in their order.
};

/// What no single commit did: the sum of changes below the threshold, since the first run, the last change, the last
/// seam or the last agreement.
struct Drift {
  std::size_t of = 0;     ///< As above.
  std::size_t since = 0;  ///< The run whose count is `counts.before` …
  std::size_t until = 0;  ///< … and the one whose count is `counts.after`.
  CountChange counts;
  std::vector<std::size_t> contributors;  ///< Runs whose count differs from the one before in the drift's direction.
};

/// A drift up to a run that was acknowledged there.
struct SettledDrift {
  Drift drift;
  Acceptance by;
};

struct Course {
  std::vector<CourseEntry> entries;   ///< One for each run.
  std::vector<Drift> drifts;          ///< Real ones, largest first.
  std::vector<SettledDrift> settled;  ///< Real ones, in the order of cases, then of runs.
};

Course course_of(const History& history, const CourseOptions& options);

/// What a point is beside the one before it.
struct CoursePoint {
  enum class Kind { first, same, step, seam, joined, chained };

  const SeriesPoint* of = nullptr;  ///< Has a count.
  Kind kind = Kind::first;
  std::size_t since = 0;  ///< The run that it was compared with; of no meaning for the first.
  CountChange counts;     ///< Against it; zeros at the first and at a seam.
  std::string why;        ///< Of a seam.
};

/// The course of one case, oldest first. Points into the history.
std::vector<CoursePoint> course_of_case(const History& history, const CaseSeries& series, const CourseOptions& options);

}  // namespace tally
