/// Writes what a process is into an image: its memory, open files, signal dispositions and what it has read
/// (protocol/host_image.h has the layout).
///
/// Reads /proc/self and nothing of Valgrind's own tables, which are memory like all else. Allocates nothing that would
/// be in the image.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Into a file that is open and empty. `resume` is the function of this process that the loader is to call. Null, or
/// why there can be no image; then the file holds nothing of use.
const HChar* write_process(long file, ULong resume);

}  // namespace tally::counter
