/// Two records into a verdict for each case, and from a verdict to what may have caused it. Pure.
///
/// Records are matched by case id. Counts decide where both sides have them, against each case's own noise floor; times
/// decide otherwise, by the 95 % interval of the ratio, and are reported in any case. A case that has neither is judged
/// by the figure that it reports: a larger one is `slower`, as asv has it. A changed environment (CPU,
/// compiler, interpreter, libraries that are not the subject) softens a verdict to `changed_environment` and is named;
/// a changed subject never does. A changed definition under one id is stated. Different settings are refused, case by
/// case, with the reason: such counts say nothing about each other.
///
/// The result points into both records and lives no longer than they do.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comparison/call_delta.h"
#include "comparison/count_change.h"
#include "comparison/evidence.h"
#include "comparison/function_delta.h"
#include "comparison/line_delta.h"
#include "profile/allocation_delta.h"
#include "record/record.h"

namespace tally {

enum class Verdict { failed, gone, slower, changed_environment, faster, refused, added, same };
std::string_view to_string(Verdict verdict);  // "changed environment", "new" for added, …

struct TimeChange {
  double before_s = 0;
  double after_s = 0;
  double change = 0;
  Interval ratio;  ///< 95 % interval of after / before.
  Verdict verdict = Verdict::same;
};

/// Of a benchmark that reports a figure, or the peak of its memory.
struct ValueChange {
  double before = 0;
  double after = 0;
  double change = 0;  ///< (after − before) / |before|; infinite where that is nothing, with the sign of the change.
  std::string unit;
};

/// What a note is about, for programs: its text is for people and may change. As an identifier: "counts_refused".
enum class NoteCode {
  definition_changed,
  counts_refused,
  iterations_differ,
  base_below_zero,
  count_reused,
  nothing_to_compare,
  units_differ,
  times_refused,
  kernels_changed,
  device_settings_changed,
  skipped,
  failed,
  base_unusable,
  results_differ,
  results_unknown,
};
std::string_view to_string(NoteCode code);

struct Note {
  NoteCode code;
  std::string text;
};

struct CaseComparison {
  std::string id;
  const CaseRecord* base = nullptr;  ///< Null for a new case.
  const CaseRecord* next = nullptr;  ///< Null for one that is gone.
  Verdict verdict = Verdict::same;
  std::optional<CountChange> counts;
  std::string counts_refused;  ///< Why counts that both sides have were not compared; empty: they were.
  std::optional<TimeChange> time;
  std::optional<ValueChange> value;              ///< Of cases that have nothing else.
  std::string cause;                             ///< "code", "compiler", …; only where something changed.
  std::vector<std::string> environment_changes;  ///< "compiler: clang 18 → clang 19"
  std::vector<std::string> subject_changes;      ///< "libfoo.so: 12ab… → 34cd…"
  /// "cpu: A → B": counts do not follow from them. "python.folder: A → B" and "program.folder": some do.
  std::vector<std::string> machine_changes;
  bool definition_changed = false;
  std::string result;  ///< Where results were compared too: "same", "differs" or "unknown".
  std::vector<Note> notes;
  // By the evidence of both sides, largest first. Of a case that has not moved, only where it allocates.
  std::vector<AllocationDelta> allocations;
  std::vector<LineDelta> lines;  ///< That moved.
  std::vector<FunctionDelta> functions;
  std::vector<FunctionDelta> python;  ///< Python functions, with the native code that they call.
  std::vector<CallDelta> path;        ///< Where the change is (see path_of_change()).

  [[nodiscard]] const CaseRecord& shown() const { return next ? *next : *base; }
  [[nodiscard]] std::string first_note() const { return notes.empty() ? "" : notes.front().text; }
  [[nodiscard]] std::vector<std::string> note_texts() const;
};

/// What a time depends on besides the code.
struct TimesOf {
  bool processor = false;
  bool device = false;
  bool cache = false;  ///< Of the device: warm or cold.
};

/// Another processor has other times, and so has another card; "" where nothing stands against comparing them. Both
/// sides have the case. (Another kernel names a processor's features otherwise: that alone is no other one.)
std::string why_times_refused(const CaseComparison& one, const TimesOf& of);

/// Whether it is a machine's change of the folder in which an environment of Python, or a program in Python, lies.
bool is_of_folder(const std::string& change);

/// Whether there is something to explain.
bool has_moved(const CaseComparison& one);

struct Comparison {
  const Record* base = nullptr;
  const Record* next = nullptr;
  std::vector<CaseComparison> cases;  ///< By verdict, then by size of the change, then in plan order.
  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

struct CompareOptions {
  CountThreshold threshold = {};
  double least_time_change = 0.01;
  /// Denoised counts decide where both sides have them. The threshold stays that of whole counts.
  bool denoise = false;
  /// False where the environment itself is what is being compared: its changes are named and soften nothing.
  bool environment_softens = true;
  /// For a digest of many files (a fact that ends with kAllSources): relative path → digest of each, or nothing where
  /// that is not known here. So a change of one is reported by its name.
  std::function<std::map<std::string, std::string>(const std::string& digest)> files = {};
};

/// Evidence is asked of changed cases only, but for allocations: of all that both sides have.
Comparison compare(const Record& base, const Record& next, const CompareOptions& options, const Evidence& kept = {});

}  // namespace tally
