/// Files that are open before cases are forked: what imports, or a program's main(), have opened.
///
/// A case finds them under their numbers. A fork shares its parent's place in a file, and a case that reads would move
/// it for its neighbours and for its next replicate: each process has a place of its own. What can be written to is
/// shared, so that a log stays whole.
#pragma once

namespace tally::host::open_files {

/// Before cases: which are open now and are not the runner's.
void note();

/// In a process that is to be a case: closes from `first` to `last` what has not been noted.
void close_others(unsigned first, unsigned last);

/// In a process that was forked just now: files that are read have the place in them that they have, from now on by
/// themselves.
void part();

}  // namespace tally::host::open_files
