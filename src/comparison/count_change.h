/// Two counts of one case: by how much they differ, and by how much they must for the difference to be real. Pure.
///
/// What a benchmark reports, in place of being counted, is compared by the same types: see reported_figure().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "comparison/metric.h"
#include "record/record.h"

namespace tally {

/// Which of the limits a threshold is: the largest.
enum class ThresholdOf { least, usual_floor, measured_floor, replicates, executions };
/// "the floor of 5 instructions" (CountThreshold::least_instructions), "the default noise floor", …
std::string_view to_string(ThresholdOf limit);

struct CountChange {
  double before = 0;  ///< Instructions per iteration.
  double after = 0;
  double change = 0;     ///< relative_change() of the two.
  double threshold = 0;  ///< Instructions per iteration that a real change must exceed.
  ThresholdOf threshold_of = ThresholdOf::least;
  bool floor_measured = false;           ///< False: no floor was stored and the language's usual one stands in.
  bool denoised = false;                 ///< Both are without known interpreter noise.
  Metric metric = Metric::instructions;  ///< What both are of: instructions, or `value` or `memory` of what reports it.
  std::string unit = {};                 ///< Of a value and of memory; a value may have none.
};

struct CountThreshold {
  /// A floor where none was measured, relative: C++ repeats across layouts nearly always; a changed hash seed alone
  /// moved a Python statement by 1.16 %.
  double usual_floor_cpp = 0.001;
  double usual_floor_python = 0.0125;
  double least_instructions = 5;  ///< Per iteration: smaller changes are never real.
  double least_value = 0.01;      ///< Of what a benchmark reports: its share of the base.
};

/// What a comparison takes from the counts of one side.
struct CountFigures {
  double instructions = 0;         ///< Per iteration.
  std::optional<double> denoised;  ///< Likewise, without known interpreter noise.
  std::optional<double> floor;     ///< How wide the measured noise floor is, per iteration.
  double doubt = 0;  ///< Half the range of the replicates, per iteration, or all of it where they are of two processes.
};

CountFigures figures_of(const Counts& counts);

/// What a case reports in place of a count.
struct ReportedFigure {
  Metric metric = Metric::value;  ///< Or `memory`.
  double value = 0;
  std::string unit;  ///< "bytes"; may be empty.
  double floor = 0;  ///< Differences up to this mean nothing: peaks of memory lie within a range.
};

/// Nothing where it reports none, or was counted or timed. A command is judged by its time, and so is not meant.
std::optional<ReportedFigure> reported_figure(const CaseRecord& one);

/// Two of the same metric and unit.
CountChange reported_change(const ReportedFigure& base, const ReportedFigure& next, const CountThreshold& threshold);

/// How something was counted: sides that differ in it say nothing about each other.
struct CountTerms {
  std::uint64_t iterations = 0;  ///< 0: not counted.
  bool cache_sim = false;
  bool branch_sim = false;
  std::string isolation;
  friend bool operator==(const CountTerms&, const CountTerms&) = default;
};

CountTerms terms_of(const Settings& settings, const CaseRecord& one);

/// (after − before) / before; infinite where before is 0 or less and after is not the same: there is no share of
/// nothing.
double relative_change(double before, double after);

/// A count below zero is no figure: more was taken off for the empty loop, or for pauses, than the statement came to.
/// Half an instruction is what a statement of nothing may miss zero by.
inline bool is_below_zero(double instructions) { return instructions < -0.5; }

/// Why two counts of which one is below zero say nothing about each other, or "". From below zero to something is a
/// change all the same: whatever the base was, it was less.
std::string why_no_figures(double before, double after, const CountThreshold& threshold);

/// `denoise`: those without known interpreter noise, where both have them; the threshold stays that of whole counts.
CountChange count_change(const CountFigures& base, const CountFigures& next, bool is_python,
                         const CountThreshold& threshold, bool denoise = false);
/// By how many instructions one execution and the mean of all differ, of two counts that have other iterations. It says
/// that the mean is not the number's: each execution takes the same, and so the two can be compared. Of the side where
/// they differ less; nothing where neither is known, or they differ by over 0.1 % of the mean. 0 for equal iterations.
std::optional<double> doubt_of_iterations(const Counts& base, const Counts& next);

/// The same of two cases; both must have counts.
CountChange count_change(const CaseRecord& base, const CaseRecord& next, const CountThreshold& threshold,
                         bool denoise = false);

/// The difference is beyond the threshold.
bool is_real(const CountChange& change);

/// Why the two counts say nothing about each other, or "".
std::string why_not_comparable(const CountTerms& base, const CountTerms& next);

}  // namespace tally
