/// CPython's arenas (1 MiB each, 256 KiB before 3.10), out of which it gives blocks of up to 512 bytes: 9,000 pages of
/// Python with torch, which a fork copies the page table of and most of which a case never writes.
#pragma once

namespace tally::host {

/// From here on each arena that CPython takes is memory for share_written_memory() too. Not under Valgrind: a region
/// that takes an arena would count what is done here.
void share_arenas();

}  // namespace tally::host
