/// What execution has to say of a case: raw samples and what went wrong. Turning samples into figures is measurement's
/// part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measurement/counts.h"
#include "measurement/wall.h"
#include "profile/python_functions.h"

namespace tally {

/// The ways in which a case is executed; each is a session in a child of its own. `result` measures nothing.
/// `sites` neither: it is for where memory comes from. Nor `functions`: under Valgrind, for which Python functions the
/// instructions are of, nor `lines`: likewise, for what each instruction cost. Nor `threads`: which thread of a
/// benchmark program's team they are of.
enum class Mode { counts, wall, result, sites, functions, threads, lines };
std::string_view to_string(Mode mode);
constexpr bool is_under_valgrind(Mode mode) {
  return mode == Mode::counts || mode == Mode::functions || mode == Mode::threads || mode == Mode::lines;
}
/// It tells more of a case that is measured elsewhere, and what fails of it is a warning.
constexpr bool is_explaining(Mode mode) {
  return mode == Mode::sites || mode == Mode::functions || mode == Mode::threads || mode == Mode::lines;
}

/// How a session, or a whole case, ended.
enum class Ending { ok, failed, timed_out, crashed, host_lost, cancelled };
std::string_view to_string(Ending ending);

struct CaseFailure {
  std::string stage;     ///< "toolchain", "build", "artifact", "load", "setup", "warm_up", "count", "time", "result",
                         ///< "host"
  std::string message;   ///< One line, as near to the user's text as can be: "ZeroDivisionError: division by zero
                         ///< (suite.toml:7)".
  std::string detail;    ///< A traceback or compiler output, places named as the suite's.
  std::string output;    ///< What the case wrote to standard output and error, head and tail.
  bool skipped = false;  ///< It is no failure: the case does not want to be measured, and the message is its reason.
};

struct CaseAttempt {
  Mode mode = Mode::counts;
  Ending ending = Ending::ok;
  double seconds = 0;
  double started_s = 0;   ///< On the monotonic clock: since the machine booted.
  std::vector<int> cpus;  ///< That it was given.
};

struct AllocationSample {
  std::uint64_t iterations = 1;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

/// Where a statement allocates, as the host's recorder wrote it (profile/allocation_trace.h).
struct AllocationSitesSample {
  std::uint64_t iterations = 1;
  std::string trace;
};

/// Which Python functions call which in a region, and Callgrind's output of it (profile/python_functions.h).
struct PythonFunctionsSample {
  std::uint64_t iterations = 1;
  PythonCalls calls;
  std::string profile;
  std::uint64_t loop = 0;  ///< Instructions of the empty loop.
};

/// What each instruction of a region cost (profile/instruction_costs.h), as Callgrind wrote it.
struct InstructionSample {
  std::uint64_t iterations = 1;
  std::string profile;
};

/// What one execution of a statement left.
struct StatementResult {
  std::string text;     ///< Bounded: a head, and a digest of all of it where that is longer.
  std::string refusal;  ///< Why not all of it could be told: then equal texts prove nothing.
  bool varies =
      false;  ///< A second execution from the same state left another: then different texts prove nothing, too.
  friend bool operator==(const StatementResult&, const StatementResult&) = default;
};

/// A number that a benchmark's function told.
struct ToldCounter {
  std::string name;
  double value = 0;       ///< Of one execution where it is a rate.
  bool is_rate = false;   ///< Shown divided by the time of one execution.
  bool inverted = false;  ///< At last, one over it.
  friend bool operator==(const ToldCounter&, const ToldCounter&) = default;
};

/// What a benchmark's function said of itself.
struct CaseTold {
  std::string note;
  std::vector<ToldCounter> counters;
};

struct CaseOutcome;
/// The case stands without what this mode would have told.
void without(CaseOutcome& outcome, Mode mode, const std::string& why);

struct CaseOutcome {
  Ending ending = Ending::cancelled;
  std::vector<CaseAttempt> attempts;
  std::optional<CaseFailure> failure;
  std::optional<CountSamples> counts;
  std::vector<std::pair<std::string, CountSamples>> perturbed;  ///< By the perturbation's name, in the order measured.
  std::optional<CountSamples> by_thread;  ///< One replicate and one empty loop for each thread of a team, in order.
  std::optional<WallSamples> wall;
  std::optional<AllocationSample> allocations;
  std::optional<AllocationSitesSample> allocation_sites;
  std::optional<PythonFunctionsSample> python_functions;
  std::optional<InstructionSample> instructions;
  std::optional<StatementResult> result;
  CaseTold told;
  std::string device;                     ///< That it works on, "cuda"; empty: none.
  std::vector<std::uint32_t> counted_in;  ///< The hosts that its counted replicates are of, each once.
  /// Why another process may count otherwise: "it has 2 threads", "its setup loads libx.so"; empty: nothing speaks for
  /// it.
  std::string process_doubt;
  bool forks_differ = false;        ///< A forked replicate and one of its parent disagreed: the parent's was dropped.
  std::string library;              ///< C++: the shared object that it was compiled to.
  std::string artifact;             ///< The folder of its artifact.
  std::vector<std::string> loaded;  ///< Programs and libraries that it had in memory when it was ready to be
                                    ///< counted and its host had not when that was.
  std::map<std::string, double> making;  ///< What its artifact's making came to: "seconds", …; empty: it has none.
  std::string profile;                   ///< The first replicate's Callgrind output.
  std::string baseline_profile;          ///< Likewise, of the empty loop.
  bool paused = false;                   ///< Counting was, within the region: its calls are more than those counted.
  std::vector<std::string> warnings;
};

}  // namespace tally
