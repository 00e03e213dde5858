/// What a benchmark of a program that is already built reports: counters, which only its State has, and only while the
/// library's own function runs that called it. So the table of virtual functions of each benchmark is changed, in a
/// process in which nothing is measured.
#pragma once

#include "call.h"

namespace tally::preload {

/// A benchmark that was registered. Allocates nothing: a heap that moved would change counts.
void remember(void* benchmark);

/// After each benchmark's function `note` gets its State. The process measures nothing any more.
void watch_ends(void (*note)(const void* state));

/// Adds the counters of a State of any release since 1.6, in a program whose standard library is GCC's. What does not
/// look like one has none.
void add_counters(const void* state, detail::Notes& notes);
/// The same where it is LLVM's.
void add_counters_of_libcxx(const void* state, detail::Notes& notes);

}  // namespace tally::preload
