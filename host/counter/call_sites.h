/// Which instruction calls which function, where a dump has the cost of each instruction. Nothing is kept of who
/// returns to whom, so this costs less than following calls (calls.h).
///
/// Each stretch says with its last instruction where it was left, and a block that begins a function notes from where
/// it was reached: by a call, a jump, or by what comes before it. A linkage table is passed through: what reached its
/// entry reaches the function. A handler of a signal is called by nobody.
///
/// Owns what was noted since the last dump, from the request on.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// From here on, in what is translated from here on.
void note_call_sites();
bool notes_call_sites();

bool begins_function(Addr block);
bool is_in_linkage_table(Addr block);
/// A block that begins a function calls this as it begins.
void enter_function(Addr block);
/// The last instruction of the stretch that was left last; 0: nobody's. Stretches store it, but those of linkage
/// tables.
extern Addr g_call_site;  // NOLINT(bugprone-dynamic-static-initializers): constant, in call_sites.cc

/// Valgrind's callback: another thread runs.
void continue_at_call_site_of(ThreadId thread);
/// A handler of a signal begins or ends.
void forget_call_site();

struct CallFrom {
  Addr site = 0;
  Addr callee = 0;
  ULong calls = 0;
};

/// Those since the last dump, of one instruction: the first of some, in order of sites, behind which one of another
/// site follows.
const CallFrom* calls_from(Addr site);
void forget_call_sites();

}  // namespace tally::counter
