/// The host's image: this process, Valgrind and guest, as a file that others are made of (protocol/host_image.h).
///
/// A restored process is to Valgrind and to its guest what a forked child is; to what is counted it is the process that
/// was written: it continues with the same bytes of entropy, the same counters, the same number of the next dump.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// False: it is no option of ours.
Bool take_image_option(const HChar* argument);

/// False: it is no request of ours. A restored process returns from here, too, and has its own name for dumps then.
Bool handle_image_request(ThreadId thread, const UWord* request, UWord* result, const HChar*& dump_name);

/// In a child of the host's, before that is ready: it leaves no image.
void give_up_image(const HChar* why);

/// Whether Valgrind's callbacks for a child are called in a restored process, and are not to count as a fork.
Bool is_being_restored();

}  // namespace tally::counter
