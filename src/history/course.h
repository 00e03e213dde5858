/// How counts went from commit to commit. Pure.
///
/// A count repeats to the instruction, so where two runs differ by more than the threshold, the code between them did
/// it: the change belongs to the later run's commit, or to that and the commits before it that nobody measured. Two
/// changes that cancel each other between two measured commits are not seen.
///
/// What cannot be compared is a seam, not a change: another definition under the same id, other iterations, simulated
/// caches. The course of the case begins anew there. A commit at which a case failed, or was skipped, is passed over:
/// what comes after is compared with what came before.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "comparison/count_change.h"
#include "record/record.h"

namespace tally {

struct CourseOptions {
  CountThreshold threshold = {};
  bool denoise = false;
};

/// A count that changed.
struct CountStep {
  std::string id;
  std::size_t since = 0;  ///< The run, by its place, that it was compared with.
  CountChange counts;

  [[nodiscard]] bool is_slower() const { return counts.after > counts.before; }
};

struct Seam {
  std::string id;
  std::string why;
};

/// One run beside those before it.
struct CourseEntry {
  std::size_t compared = 0;         ///< Cases with a count on both sides.
  double geometric_mean = 1;        ///< Of after / before over these.
  std::vector<CountStep> steps;     ///< By size of the change, largest first; equal ones by id.
  std::vector<Seam> seams;          ///< In the record's order.
  std::vector<std::string> failed;  ///< Ids; in the record's order.
};

/// What no single commit did: the sum of changes below the threshold, since the first run, the last change or seam.
struct Drift {
  std::string id;
  std::size_t since = 0;  ///< The run, by its place, whose count is `counts.before`.
  CountChange counts;
  std::vector<std::size_t> contributors;  ///< Runs whose count differs from the one before in the drift's direction.
};

struct Course {
  std::vector<CourseEntry> entries;  ///< One for each run.
  std::vector<Drift> drifts;         ///< Real ones, largest first.
};

/// `runs`: of one lane, oldest first; none is null. Steps and drifts name runs by their places in it.
Course course_of(std::span<const Record* const> runs, const CourseOptions& options);

/// One case at one run.
struct CoursePoint {
  std::size_t run = 0;
  const CaseRecord* of = nullptr;  ///< Has a count.
  bool is_step = false;
  bool is_seam = false;
  CountChange counts;  ///< Against the point before; zeros at the first and at a seam.
};

/// The course of one case, oldest first. Points into the records.
std::vector<CoursePoint> course_of_case(std::span<const Record* const> runs, std::string_view id,
                                        const CourseOptions& options);

}  // namespace tally
