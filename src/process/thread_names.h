/// The names of a process's threads, besides its first one.
#pragma once

#include <string>
#include <vector>

namespace tally {

/// In the order in which they were started; a name may be there several times. Empty where the process is gone, or has
/// one thread. Source: /proc/PID/task/TID/comm, proc_pid_comm(5): fifteen bytes at the most.
std::vector<std::string> thread_names(int pid);

}  // namespace tally
