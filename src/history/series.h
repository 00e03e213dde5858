/// One suite along one line of commits: every case as a column of its runs' figures. Plain data, pure.
///
/// A record of 185 cases is some 60 kB of JSON, and a history has thousands; what their course is computed from is 64
/// bytes a case and run. An index keeps them (history/index.h), and course.h follows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "comparison/count_change.h"
#include "history/commits.h"
#include "record/record.h"

namespace tally {

/// What two points of a case must have in common for their figures to be compared.
struct Basis {
  std::string definition;  ///< The digest of statement, setup and flags.
  CountTerms terms;
  Metric metric = Metric::instructions;  ///< What the figure is: a count, `value` or `memory` where that is reported,
                                         ///< or the kernels of one execution.
  std::string unit = {};                 ///< Of what is no count of instructions.
  friend bool operator==(const Basis&, const Basis&) = default;
};

/// One case at one run. Numbers that were not measured are no numbers (NaN); all are per iteration.
struct SeriesPoint {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::uint32_t run = 0;    ///< Its place in History::runs.
  std::uint32_t basis = 0;  ///< Its place in History::bases.
  double figure = kNone;    ///< Instructions, or what the case reports in place of a count; its basis says which.
  double denoised = kNone;
  double floor = kNone;  ///< How wide the noise floor is.
  double doubt = 0;
  double time_s = kNone;  ///< The median; with kernels, their own time, added up.
  float time_low_s = std::numeric_limits<float>::quiet_NaN();
  float time_high_s = std::numeric_limits<float>::quiet_NaN();
  CaseStatus status = CaseStatus::skipped;
  std::uint32_t part = 0;  ///< Its place in HistoryRun::parts.

  [[nodiscard]] bool has_figure() const;
  [[nodiscard]] bool has_time() const;
};
static_assert(std::is_trivially_copyable_v<SeriesPoint> && sizeof(SeriesPoint) == 64);

CountFigures figures_of(const SeriesPoint& point);

/// What a series is of: each case has one of itself; one that works on a device has another one, of what the device
/// does.
enum class SeriesOf { case_itself, device };

/// What a record says of a case in one of its series; `run` and `basis` of the point are the caller's to set.
struct PointOfCase {
  SeriesOf series = SeriesOf::case_itself;
  SeriesPoint point;
  Basis basis;
};
/// That of the case itself first.
std::vector<PointOfCase> points_of(const Settings& settings, const CaseRecord& one);

struct CaseSeries {
  std::string id;  ///< Of the case.
  std::string language;
  std::vector<SeriesPoint> points;  ///< In the order of runs; at most one of each.
  SeriesOf of = SeriesOf::case_itself;

  /// That of a run, or null.
  [[nodiscard]] const SeriesPoint* at(std::size_t run) const;

  /// That of a device's times is the kernels' own time.
  [[nodiscard]] Metric time_metric() const { return of == SeriesOf::device ? Metric::device_time : Metric::time; }
};

/// The case's id, and "kernels" behind it for what its device does: no two series of a history have the same.
std::string name_of(const CaseSeries& series);

/// A run as it was stored.
struct StoredPart {
  std::int64_t id = 0;    ///< Its index's number of it.
  std::string processor;  ///< What its times are of, in digits; empty: not given apart from the environment.
  std::string started;    ///< ISO 8601, UTC.
  std::string file;       ///< What the store calls it.
};

/// What was measured of the suite's cases at one commit in one environment, in one run or in several.
struct HistoryRun {
  std::string environment;        ///< The first digits of its fingerprint.
  std::vector<StoredPart> parts;  ///< The latest first; never empty.

  [[nodiscard]] const std::string& started() const { return parts.front().started; }
};

struct History {
  std::string suite;
  CommitLine line;               ///< `line.measured` has a place for each run; equal ones where two environments meet.
  std::vector<HistoryRun> runs;  ///< Oldest commit first; at one commit, the older environment first.
  std::vector<Basis> bases;
  std::vector<CaseSeries> cases;  ///< What a device does of a case comes after the case itself.

  /// The place of its own series in `cases`, or their number.
  [[nodiscard]] std::size_t place_of(std::string_view id) const;

  [[nodiscard]] const Basis& basis_of(const SeriesPoint& point) const { return bases[point.basis]; }
  [[nodiscard]] const StoredPart& part_of(const SeriesPoint& point) const { return runs[point.run].parts[point.part]; }
};

/// From whole records, one for each of `line.measured`, oldest first.
History history_of(std::string suite, CommitLine line, const std::vector<const Record*>& records);

}  // namespace tally
