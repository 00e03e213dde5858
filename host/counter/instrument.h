/// Makes a block count itself: an increment before each place where it can be left.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Valgrind's callback for each block that it translates.
IRSB* instrument(VgCallbackClosure* closure, IRSB* block, const VexGuestLayout* layout, const VexGuestExtents* extents,
                 const VexArchInfo* host, IRType guest_word, IRType host_word);

}  // namespace tally::counter
