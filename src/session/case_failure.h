/// Words a case's failure so that a reader finds the place in the suite. Pure.
#pragma once

#include "session/case_messages.h"
#include "session/dialogue_rules.h"
#include "session/outcome.h"

namespace tally {

/// "load", "setup", "warm_up", "count", "time", "result", "host".
std::string stage_name(protocol::Stage stage, Mode mode);

/// What the child says of itself, with the places that the host speaks of turned into the suite's.
CaseFailure describe_failure(const CaseFailed& failed, const DialogueRules& rules);

/// Its code has closed the socket on which its process speaks.
CaseFailure describe_cut_off(protocol::Stage stage, Mode mode);

/// Its process ended by itself.
CaseFailure describe_exit(int wait_status, protocol::Stage stage, Mode mode);

/// What the counter wrote last in the case's process, "tally: …", becomes a part of the message: why it ended it.
void add_reason(CaseFailure& failure);

}  // namespace tally
