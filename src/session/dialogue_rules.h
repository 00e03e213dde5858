/// The aims of the dialogue with one case child, and the answers that it gives. Plain data.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "definition/toolchain.h"
#include "expansion/case.h"
#include "session/case_messages.h"
#include "session/case_plan.h"
#include "session/mode.h"
#include "session/outcome.h"

namespace tally {

struct DialogueRules {
  const Case* measured = nullptr;
  const Toolchain* toolchain = nullptr;
  Mode mode;
  CasePlan plan;
  std::string perturbation;        ///< Its name; counted once, and beside the undisturbed counts.
  std::size_t replicates = 1;      ///< Counted ones to ask for; more where they differ and the child can still fork.
  bool once = false;               ///< One replicate, in a forked process: others are of another session.
  bool forks_all = false;          ///< None of them may be executed by the case child itself.
  bool counts_allocations = true;  ///< After times: they stand beside the counts in a record.
  /// After counts: a benchmark program's function runs to its end, where it reports its label and its counters. A
  /// session that takes times waits for that end anyway.
  bool waits_for_end = false;
  double timer_overhead_s = 0;
};

/// A command; nothing, where the child is to continue by itself; or why the case cannot continue.
using DialogueAnswer = std::expected<std::optional<CaseCommand>, CaseFailure>;

}  // namespace tally
