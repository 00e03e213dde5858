/// Valgrind's translations of guest code, all at once.
#pragma once

namespace tally::counter {

/// Throws all translations away, and gives the memory that they took back to the kernel: importing PyTorch leaves 55 to
/// 85 MB of them, which every fork would copy the page table of, and tables of deleted entries that every look-up would
/// walk over. In a client request only, where nothing translated is being executed.
void discard_all_translations();

}  // namespace tally::counter
