/// Lets the processes forked from this one share what they hardly write, instead of each having it copied.
///
/// A fork copies the page table of all memory that is private and written (29,000 pages of Python with torch: 5 ms),
/// and the child's end takes as long again. Pages of a file that nobody has written are not copied: a child finds them
/// when it touches them, sixteen at a time, and gets a copy of its own of those it writes.
#pragma once

namespace tally::host {

/// Moves the contents of the C library's main heap, and of what the loader has relocated and protected (PT_GNU_RELRO),
/// to a file in memory, and maps them from there, privately and at the same addresses. Not under Valgrind, which keeps
/// its own account of the heap. Does nothing in a process with several threads, or whose malloc is not the C library's:
/// another allocator might give pages back and expect zeros in their place.
void share_heap();

}  // namespace tally::host
