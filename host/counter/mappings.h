/// Fewer mappings for the kernel to copy with each fork and to undo at each exit.
#pragma once

namespace tally::counter {

/// Makes one mapping of what each library that is loaded has to read and to execute, and one of its variables with what
/// the loader has relocated and protected (a linker that keeps code by itself has the loader map five: r--, r-x, r--,
/// r--, rw-): PyTorch's host in Python has 800 instead of 1,740. The kernel then allows more than Valgrind knows of,
/// which goes by what it noted itself. Code that may be written stays as it is.
void join_mappings_of_libraries();

}  // namespace tally::counter
