/// The outcome of a case's execution: raw samples and what went wrong. Turning samples into figures is measurement's
/// part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/builder.h"
#include "measurement/command_use.h"
#include "measurement/counts.h"
#include "measurement/device_times.h"
#include "measurement/reported.h"
#include "measurement/wall.h"
#include "session/mode.h"
#include "session/region.h"

namespace tally {

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
  bool skipped = false;  ///< It is not a failure: the case does not want to be measured, and the message is its reason.
};

struct CaseAttempt {
  Mode mode;
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

/// What one execution of a statement left.
struct StatementResult {
  std::string text;     ///< Bounded: a head, and a digest of all of it where that is longer.
  std::string refusal;  ///< Why not all of it could be shown: then equal texts prove nothing.
  bool varies =
      false;  ///< A second execution from the same state left another: then different texts prove nothing, too.
  friend bool operator==(const StatementResult&, const StatementResult&) = default;
};

/// A number that a benchmark's function reported.
struct ReportedCounter {
  std::string name;
  double value = 0;       ///< Of one execution where it is a rate.
  bool is_rate = false;   ///< Shown divided by the time of one execution.
  bool inverted = false;  ///< At last, one over it.
  friend bool operator==(const ReportedCounter&, const ReportedCounter&) = default;
};

/// What a benchmark's function reported about itself.
struct CaseReport {
  std::string note;
  std::vector<ReportedCounter> counters;
  std::optional<ResourceUse> used = {};  ///< Of a command, or of a case that reports its peak.
  std::optional<Reported> figure = {};   ///< Of a case that reports another one.
  std::string left_behind = {};          ///< Of a command: what it left in a /tmp of its own.
};

/// Callgrind's output of the first replicates; empty: none was taken.
struct CountedProfiles {
  std::string statement;
  std::string baseline;  ///< Of the empty loop.
  std::string lead;      ///< To be subtracted from the statement's (Phase::lead).
};

/// In which processes a case was counted, and what speaks for or against one standing for all.
struct CountedProcesses {
  std::vector<std::uint32_t> hosts;  ///< Those that its replicates are of, each once.
  /// Why another process may count otherwise: "it has 2 threads", "its setup loads libx.so"; empty: nothing speaks for
  /// it.
  std::string doubt;
  bool reads_clock = false;  ///< That is the doubt: what it computes of that may be another in each process.
  bool reads_time_of_day = false;
  int other_sessions = 0;     ///< Of those hosts, for that reason: each with a setup of its own.
  bool forks_differ = false;  ///< A forked replicate and one of its parent disagreed: the parent's was dropped.
  bool paused = false;        ///< Counting was, within the region: its calls are more than those counted.
};

struct CaseOutcome {
  Ending ending = Ending::cancelled;
  std::vector<CaseAttempt> attempts;
  std::optional<CaseFailure> failure;
  std::optional<CountSamples> counts;
  std::vector<std::pair<std::string, CountSamples>> perturbed;  ///< By the perturbation's name, in the order measured.
  std::optional<WallSamples> wall;
  std::optional<DeviceSamples> device_times;
  std::optional<AllocationSample> allocations;
  std::vector<ProbeSample> probed;
  std::optional<StatementResult> result;
  CaseReport report;
  std::string device;                                  ///< That it works on, "cuda"; empty: none.
  std::map<std::string, std::string> device_settings;  ///< Of its process, as PhaseReady has them.
  std::vector<std::string> loaded;  ///< Programs and libraries that it had in memory when it was ready to be
                                    ///< counted and its host had not when that was.
  BuiltCase built;                  ///< What was built for it.
  CountedProfiles profiles;
  CountedProcesses counted;
  std::vector<ProcessCount> processes;  ///< Of a command's first replicate.
  std::string left_behind;              ///< As its report says, of whichever session.
  std::vector<std::string> warnings;
};

}  // namespace tally
