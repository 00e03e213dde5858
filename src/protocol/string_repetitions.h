/// The line at the end of a counter's dump that says how many of its instructions only repeat a string instruction.
/// Writer and reader share it here. Needs no C library.
///
/// Valgrind executes `rep stosb` of 100 bytes as 101 instructions: one for each byte, and one that finds that none is
/// left. A processor retires one. The other 100 are repetitions: as often as the instruction was executed again right
/// after itself.
#pragma once

namespace tally::protocol {

/// A line behind the totals, with a number after it. Only where there are any. A comment to other readers.
inline constexpr char kStringRepetitions[] = "# string repetitions: ";

}  // namespace tally::protocol
