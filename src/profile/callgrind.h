/// Callgrind's output format, as Valgrind 3.15 to 3.24 write it, into a Profile.
///
/// Reads: name compression; ob, fl, fi, fe, fn and their called forms (cfl and cfi alike); calls and jump lines;
/// relative and absolute, decimal and hexadecimal positions; any number of events and short lines; several parts in one
/// file, whose costs are added (matched by event name when their order differs). Lines and addresses are not kept, so
/// memory is bounded by functions and calls between them, whatever the length of the file.
///
/// A file that was cut off gives what it holds, with a note. Text that is not Callgrind's at all is an input error.
/// Unknown lines are passed over, as Valgrind's own reader does, and counted in a note. Never touches files.
///
/// Source: "Callgrind Format Specification" in the Valgrind manual, and what Valgrind 3.19 was seen to write.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "profile/profile.h"

namespace tally {

Result<Profile> parse_callgrind(std::string_view bytes);

/// The same for a file that comes in pieces of any size.
class CallgrindReader {
 public:
  CallgrindReader();
  ~CallgrindReader();
  CallgrindReader(const CallgrindReader&) = delete;
  CallgrindReader& operator=(const CallgrindReader&) = delete;

  void feed(std::string_view chunk);
  /// Once, at the end.
  Result<Profile> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of Totals: not an event of Callgrind's.
inline constexpr std::string_view kRepetitionsColumn = "string_repetitions";

/// What the run of replicates needs, at the speed of a search for two words.
struct Totals {
  std::vector<std::string> events;
  std::vector<std::uint64_t> values;  ///< One for each event; the parts of a file added.
};

/// Reads only the events: and totals: lines, and behind the last of these the comment of our counter's that says how
/// many of the instructions only repeat a string instruction (protocol/string_repetitions.h): a column of its own,
/// behind the events; no column where there is no such comment. A file without a whole totals: line for each part is an
/// error: its end is missing. (summary: is no substitute: it counts from the start of the program, not from the last
/// ZERO_STATS.)
Result<Totals> callgrind_totals(std::string_view bytes);

}  // namespace tally
