/// Which file a guest changes first: one that it opens for writing or writes into, makes, renames or removes.
///
/// What is no regular file (a pipe, a terminal, /dev/null) and what the kernel makes up (/proc) is nobody's to share.
/// Nothing is looked at before a host has asked, and nothing after the first change. A process that the guest starts
/// with exec runs without the counter, and is not seen.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// After each system call of the guest's.
void note_changed_file(UInt number, const UWord* arguments, SysRes result);

/// False: it is no request of ours.
Bool handle_file_request(const UWord* request, UWord* result);

}  // namespace tally::counter
