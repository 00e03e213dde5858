/// What a case child writes until it is ready is much the same for each: it gets pages of its own for that at its
/// start, all at once, instead of being interrupted for each (250 times for an empty statement of Python: a tenth of
/// all that such a case takes).
///
/// Pages only, no contents: a page that is not written after all has been copied for nothing.
#pragma once

namespace tally::host {

/// In the host, before the first fork: makes room for what its children learn, which they share. Until then, and in a
/// host that never called it, the others do nothing.
void prepare_to_learn_pages();
/// In a case child: if it is the first to come here, what it has written is what those forked later populate. Some of
/// it, if it is more than 4 MiB.
void learn_written_pages();
/// In a case child, at its start: madvise(2), MADV_POPULATE_WRITE (Linux 5.14).
void populate_learned_pages();

}  // namespace tally::host
