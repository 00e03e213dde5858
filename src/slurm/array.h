/// A plan's parts as a job array of Slurm: the scripts that it runs, and what its queue says. Pure; whoever submits
/// runs the commands.
///
/// Seen with 22.05 (Debian 12): a task on a node that dies comes back only after SlurmdTimeout, and then waits for two
/// minutes, or ends as FAILED and does not come back. Taken from reports about Slurm, and not seen here: a task that
/// is put back may have finished before; SLURM_ARRAY_TASK_COUNT is the number of tasks submitted, not of parts; one
/// that could not be launched is held for good.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally::slurm {

struct PartsJob {
  std::string tally;                       ///< The path of the command.
  std::vector<std::string> run_arguments;  ///< Of `tally run`: what is measured, and how; not which part.
  int parts = 1;
  std::string folder;  ///< Where parts and their logs go; every node sees it.
  std::string working_folder;
};

/// Where the record of a part is, once it is complete.
std::string part_path(const std::string& folder, int part);

/// Run for each task of the array. A part that is there already is not measured again, one that was begun is resumed.
std::string part_script(const PartsJob& job);

/// Run when the array has ended: writes the record `output`, and leaves `folder`/merged when that has worked.
std::string merge_script(const PartsJob& job, const std::string& output, bool per_environment);

/// "1-3,7", as --array has it.
std::string array_text(const std::vector<int>& parts);

/// Of what `sbatch --parsable` prints: "17" or "17;cluster".
Result<std::string> job_of(std::string_view printed);

struct Task {
  std::string id;  ///< "17_3": for scancel.
  int part = 0;    ///< 0: no task of an array.
  std::string state;
  std::string reason;
};

/// What is requested of squeue.
inline constexpr const char* kQueueFormat = "%F|%K|%T|%r";

/// Of what squeue prints with that format, one task to a line (-r).
Result<std::vector<Task>> read_queue(std::string_view printed);

/// It waits for somebody to release it, and nobody will.
bool is_held(const Task& task);

/// It was put back, and waits for two minutes though no node is what it waits for.
bool is_delayed(const Task& task);

/// The arguments of `tally submit` that are meant for `tally run`: without the command's own options (`with_value` and
/// `flags`), and without what follows "--".
std::vector<std::string> run_arguments(const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& with_value,
                                       const std::vector<std::string>& flags);

}  // namespace tally::slurm
