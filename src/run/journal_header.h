/// The facts that a resumed run must share with the interrupted one: otherwise its record would be a mixture.
#pragma once

#include "discovery/toolchains.h"
#include "plan/plan.h"
#include "record/record.h"
#include "run/journal.h"

namespace tally {

/// One fact for everything that moves a figure (limits do not): cases and their own settings, the run's settings, what
/// was requested by name, the environment variables, and the facts and subject of each toolchain's environment.
JournalHeader journal_header(const Plan& plan, const Settings& settings, const Tools& tools,
                             const EnvironmentVariables& environment,
                             const std::map<std::string, Environment>& environments);

}  // namespace tally
