/// What the counter's files say of the processes of one command, as one dump: its reader is that of every other count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tally::host {

/// A program that a process executed.
struct TreeProcess {
  std::string place;  ///< "1.2"
  std::string program;
  std::string arguments;  ///< A digest.
  std::uint64_t start = 0;
  std::uint64_t instructions = 0;
  int signal = 0;  ///< That ended it under the counter; 0: none, or SIGKILL.
};

struct Tree {
  std::vector<TreeProcess> processes;  ///< In the order of their places, a process's programs as it executed them.
  std::string positions = "line";      ///< What comes before a cost, in Callgrind's words.
  std::string functions;  ///< Of all of them, as Callgrind's format has them; of a killed one, what it executed in all.
  std::uint64_t repetitions = 0;  ///< Instructions that only repeat a string instruction; not of one that was killed.
  std::string lost;               ///< One of which nothing is known, "1.2 (/usr/bin/sort)"; empty: there is none.
};

/// The counters of one that was killed are in `counts`, the file that all of them share.
Tree read_tree(const std::string& folder, int counts);
/// False: errno says why not.
bool write_dump(const Tree& tree, const char* path);

}  // namespace tally::host
