/// Folders in which a guest may not look for anything: those of an installation that an image has brought its libraries
/// from (hosts/carried_images.h). What is found there, or not, is not what the image's own machine would have.
///
/// The guest gets the system's answer, and reports what that leads to. What it computes after is another case than the
/// one that was to be counted, so it gets no count.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Absolute, with colons between; empty: none. Kept for as long as the process lives, and in its forks.
void close_folders(const HChar* list);

/// After each system call of the guest's. The first time that it looks there, a line on standard error says for what.
void watch_closed_folders(UInt number, const UWord* arguments, SysRes result);

/// Ends the process where it has looked there.
void end_if_it_has_looked();

}  // namespace tally::counter
