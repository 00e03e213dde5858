/// How a whole command is counted: the options that its counter is given, and the files to which each of its processes
/// writes what it has executed. What counts and what reads agree on them here. Needs no C library.
///
/// A process of the tree is called by its place in it: "1" is what was started, "1.2" the child of its second fork. A
/// program that a process executes continues under the process's name; its files are numbered: "1.2-1", "1.2-2", … Such
/// a file is there from the moment on that there is something to count. It begins with lines about the process, and,
/// once that has ended or gives way to another program, what it executed, in Callgrind's format. One without a line of
/// totals is of a process that ended before it could write them (SIGKILL): its shared counters give the sum.
#pragma once

#include <stdint.h>

namespace tally::protocol::command {

inline constexpr char kOption[] = "--command=";  ///< The folder of those files.
inline constexpr char kProcessOption[] =
    "--command-process=";  ///< The counter's own: what a program continues with where another one was: the process's
                           ///< place, the file's number, what its clock has passed, and its slot, "1.2-3@17#4".
inline constexpr char kAnswersOption[] = "--command-answers=no";  ///< Randomness and clocks are the system's.

/// Files have the cost of each instruction, at its address in its object's file, and direct calls: as Callgrind's have
/// with this option and --compress-pos=no.
inline constexpr char kInstructionsOption[] = "--dump-instr=yes";

/// The path of a file that all processes of the tree share. Their counters lie in it, so that those of a killed process
/// (SIGKILL) are not lost. Its first page has the number of slots that were taken; then slots follow.
inline constexpr char kCountsOption[] = "--command-counts=";
inline constexpr uint64_t kPage = 4096;

/// A process's slot begins with a page of this. Then, a page's multiple each: the counters of its stretches (numbered
/// from 1, eight bytes each), and how many instructions a stretch is (four bytes each).
struct Slot {
  uint64_t is_open;  ///< 1: it counts here. 0: the counts are in its file.
  uint64_t used;     ///< The highest number of a stretch.
  uint64_t number;   ///< Of the process's file.
  char place[512];   ///< Of the process.
};
inline constexpr uint64_t kSlotCounters = uint64_t{4} << 20U;  ///< As many as there can be.
inline constexpr uint64_t kSlotBytes = kPage + kSlotCounters * (sizeof(uint64_t) + sizeof(uint32_t));
inline constexpr uint64_t slot_at(uint64_t slot) { return kPage + slot * kSlotBytes; }

/// An argument of the host: it ends with 0 where a counted command has process numbers of its own, else with 1.
inline constexpr char kAsksForNumbers[] = "--own-process-numbers";

// Each is a line of a file; a text that follows has no line break, for it is escaped as in C.
inline constexpr char kProgram[] = "desc: Program: ";      ///< The executed file.
inline constexpr char kArguments[] = "desc: Arguments: ";  ///< A digest of all arguments, sixteen hexadecimal digits.
inline constexpr char kStart[] = "desc: Start: ";    ///< Instructions until the program's main() began, or its entry.
inline constexpr char kSignal[] = "desc: Signal: ";  ///< Behind the totals: what ended it, where that was a signal.
inline constexpr char kPositions[] = "positions: ";
inline constexpr char kTotals[] = "totals: ";

/// In the dump of a whole command, a line for each program that one of its processes executed: the process's place, the
/// arguments' digest, the instructions until main(), those in all, and the program, apart by tabs.
inline constexpr char kProcess[] = "desc: Process: ";

/// There, before what it executed: the process's place, and the program, apart by a tab. A comment to other readers.
inline constexpr char kFunctionsOf[] = "# of process ";

}  // namespace tally::protocol::command
