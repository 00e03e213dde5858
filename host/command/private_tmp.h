/// A /tmp and a /var/tmp of its own for each execution of a command: empty file systems in memory, in a namespace of
/// mounts.
///
/// What is directly below them and holds something that the execution needs is there as before: the folder in which it
/// runs, its program's, those of its variables, and ours. Everything else is not to be seen, and what is left there is
/// gone with the namespace.
#pragma once

#include <fcntl.h>

#include <string>
#include <vector>

namespace tally::host {

class PrivateTmp {
 public:
  /// The folder is one of those that will be empty.
  static bool hides(const std::string& folder);

  /// Of this process, which may administrate its system or its namespace of users. An errno, else 0.
  int make_ready();

  /// From now on this process and what it starts are in a new one, in which these paths are as before. Of a process
  /// that was made ready. False: there is none; errno says why, and it is left again.
  bool enter(const std::vector<std::string>& needed);
  /// Where enter() has found it. What was left is returned, the least of names first; "…" stands for the rest of many.
  std::string leave();

  /// As open(), from outside: what the execution writes there stays.
  [[nodiscard]] int open_outside(const std::string& path, int flags, mode_t mode) const;

 private:
  bool hide(const std::string& folder, const std::vector<std::string>& needed);

  int outside_ = -1;  // the namespace, and
  int root_ = -1;     // its root
  std::vector<std::string> hidden_;
  std::vector<std::string> kept_;
};

/// What the variables PATH, LD_LIBRARY_PATH, PYTHONPATH and TMPDIR name.
std::vector<std::string> paths_in_variables();

}  // namespace tally::host
