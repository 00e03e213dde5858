/// Makes a block count itself: an increment before each place where it can be left.
///
/// Not from the start: importing torch would take a tenth longer. And from then on every block is translated anew, as
/// in Callgrind: a library may have changed code by then that Valgrind takes for what the file has (Debian 13's libucm
/// hooks sbrk() in the C library's text, and all that allocated went by the old translation).
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Before anything is translated.
void instrument_from_start();
void start_instrumentation();
void stop_instrumentation();
Bool is_instrumenting();

/// Valgrind's callback for each block that it translates.
IRSB* instrument(VgCallbackClosure* closure, IRSB* block, const VexGuestLayout* layout, const VexGuestExtents* extents,
                 const VexArchInfo* host, IRType guest_word, IRType host_word);

}  // namespace tally::counter
