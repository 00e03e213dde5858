/// How the processes of a whole command changed from one record to another. Pure.
#pragma once

#include <string>
#include <vector>

#include "comparison/shift.h"
#include "record/record.h"

namespace tally {

/// A program that a process executed, on both sides; on the side that lacks it, it has 0 instructions.
struct ProcessShift {
  std::string place;  ///< After; before, where it is gone.
  std::string program;
  Shift instructions;
};

/// Those that changed, most first. A process is found again by its place and its program; where a command starts others
/// before it than it did, by its program's name, in order; and what was started is what was started.
std::vector<ProcessShift> process_shifts(const std::vector<ProcessCount>& before,
                                         const std::vector<ProcessCount>& after);

/// Programs whose files are others now: "cc1: 12ab… → 34cd…". Each once.
std::vector<std::string> changed_programs(const std::vector<ProcessCount>& before,
                                          const std::vector<ProcessCount>& after);

/// Until their programs' main(), of all.
double instructions_of_starts(const std::vector<ProcessCount>& processes);

}  // namespace tally
