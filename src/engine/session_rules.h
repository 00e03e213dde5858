/// What an engine executes, and the rules of each session: from the settings of its case, and from what earlier
/// sessions have shown. Starts nothing.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/cards.h"
#include "engine/job_queue.h"
#include "hosts/host_spec.h"
#include "session/dialogue_rules.h"
#include "session/probe.h"

namespace tally {

/// What is to be executed, and how. Everything referred to must outlive the engine.
struct ExecutionRequest {
  std::span<const Case> cases;
  const Settings& settings;
  const std::map<std::string, ResolvedToolchain>& toolchains;
  const HostSurroundings& surroundings;
  std::string examiner;  ///< Not empty: nothing is measured, each statement is executed and reports what it leaves.
  bool may_know_counts = false;           ///< The observer is asked which counts are known.
  std::vector<const Probe*> probes = {};  ///< That look into the cases after all that measures, in this order.
  Cards* cards = nullptr;                 ///< Null: devices are not leased, and nothing is noted of them.
  const Probe* device_probe = nullptr;    ///< That looks into those that work on a device and that it applies to.
};

class SessionRules {
 public:
  /// Measures what reading the clock takes. The request outlives it.
  explicit SessionRules(const ExecutionRequest& request);

  [[nodiscard]] const CasePlan& plan_of(const Job& job) const { return plans_[job.index]; }
  /// How long a session of it may take.
  [[nodiscard]] Milliseconds deadline(const Job& job) const;
  /// By how much it may be longer, if it waits for a processor meanwhile.
  [[nodiscard]] Milliseconds wait_limit(const Job& job) const;
  /// For its next session; `outcome` is its case's so far.
  [[nodiscard]] DialogueRules of(const HostKind& kind, const Job& job, const CaseOutcome& outcome) const;

  /// A case counted otherwise in a forked process than in the case child itself.
  void note_forks_differ(const HostKind& kind, const Job& job);

  /// "a [cpp]: timed out after 60 s, at attempt 1 of 2; it is tried again".
  [[nodiscard]] std::string retry_text(const Job& job, const std::string& why) const;

 private:
  const ExecutionRequest& request_;
  std::vector<CasePlan> plans_;  ///< Of each case.
  /// Groups of cases of which one is such a case: others of them are likely to meet the same library.
  std::set<std::pair<HostKind, Autograd>> forks_differ_;
  double timer_overhead_s_;
};

/// How often each case may be tried again.
std::vector<RetryLimits> retries_of(const ExecutionRequest& request);

}  // namespace tally
