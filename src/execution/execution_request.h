/// What an engine is to execute, and how. Plain data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "execution/host_spec.h"
#include "execution/probe.h"
#include "expansion/case.h"
#include "measurement/settings.h"

namespace tally {

/// Everything referred to must outlive the engine.
struct ExecutionRequest {
  std::span<const Case> cases;
  const Settings& settings;
  const std::map<std::string, ResolvedToolchain>& toolchains;
  const HostSurroundings& surroundings;
  std::string examiner;  ///< Not empty: nothing is measured, each statement is executed and reports what it leaves.
  bool may_know_counts = false;           ///< The observer is to be asked for counts that are known.
  std::vector<const Probe*> probes = {};  ///< That look into the cases after all that measures, in this order.
};

}  // namespace tally
