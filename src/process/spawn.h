/// One vfork and exec, with everything about the child set before the exec. The mechanism below the real runner.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "process/process.h"

namespace tally {

struct SpawnPlan {
  std::string path;  ///< The file to execute; no search.
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< "NAME=value".
  std::string working_folder;            ///< Empty: ours.
  CpuSet cpus;                           ///< Empty: as we are.
  std::uint64_t stack_bytes = 0;
  bool disable_aslr = false;
  std::vector<std::pair<int, int>> fds;  ///< (number in the child, ours). All others are closed in the child.
};

struct Spawned {
  pid_t pid = -1;
  bool aslr_refused = false;
};

/// As execve() takes them, ended by a null. They live as long as the texts.
std::vector<char*> pointers(const std::vector<std::string>& texts);

/// The child leads a session of its own, has default signal dispositions, an empty mask and no core dumps.
/// An error names the step that failed; nothing is left behind then.
Result<Spawned> spawn(const SpawnPlan& plan);

}  // namespace tally
