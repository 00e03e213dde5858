/// Lets the processes forked from this one share what they hardly write, instead of each having it copied.
///
/// A fork copies the page table of all memory that is private and written (29,000 pages of Python with torch: 5 ms),
/// and the child's end takes as long again. Pages of a file that nobody has written are not copied: a child finds them
/// when it touches them, sixteen at a time, and gets a copy of its own of those it writes.
#pragma once

namespace tally::host {

/// Moves the contents of the C library's main heap, and of what the loader has relocated and protected (PT_GNU_RELRO),
/// to a file in memory, and maps them from there, privately and at the same addresses. For a process with one thread;
/// does nothing where it cannot, or under Valgrind, whose memory is the larger part. Nobody but malloc may own the
/// heap: another allocator might give pages back and expect zeros in their place.
void share_heap();

}  // namespace tally::host
