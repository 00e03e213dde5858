/// Lets the processes forked from this one share what they hardly write, instead of each having it copied.
///
/// A fork copies the page table of all memory that is private and written (29,000 pages of Python with torch: 5 ms),
/// and the child's end takes as long again. Pages of a file that nobody has written are not copied: a child finds them
/// when it touches them, sixteen at a time, and gets a copy of its own of those it writes.
#pragma once

#include <cstddef>

namespace tally::host {

/// Memory that share_written_memory() is to share as it shares the heap: from one page's boundary to another's,
/// readable and writable, and never resized. Known by where it begins; to be taken back before it is unmapped.
void share_too(void* at, std::size_t size);
void do_not_share(void* at);

/// Moves the contents of the C library's main heap, of what else was named, and of what each library has written to
/// (its variables, and what the loader has relocated and protected: PT_GNU_RELRO) to a file in memory, and maps them
/// from there, privately and at the same addresses. What lies side by side then is one mapping. Not under Valgrind,
/// which keeps its own account of the heap. Does nothing in a process with several threads, or whose malloc is not the
/// C library's: another allocator might give pages back and expect zeros in their place.
void share_written_memory();

}  // namespace tally::host
