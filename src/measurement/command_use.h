/// The resources that a whole command used, besides its instructions and its time. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally {

/// A program that a process of the command executed.
struct ProcessCount {
  std::string place;      ///< Of the process in the tree: "1" was started, "1.2" is the child of its second fork.
  std::string program;    ///< The executed file.
  std::string arguments;  ///< A digest of them.
  std::optional<std::string> digest = {};  ///< Of the program's file; none where it could not be read.
  std::uint64_t start = 0;         ///< Instructions until its main() began (or its entry, where that is not known).
  std::uint64_t instructions = 0;  ///< All of them.
  friend bool operator==(const ProcessCount&, const ProcessCount&) = default;
};

/// Of one execution, by the kernel's accounts.
struct ResourceUse {
  double user_s = 0;             ///< Processor time, the median of all executions; of all its processes.
  double system_s = 0;           ///< Likewise, within the system.
  std::uint64_t peak_bytes = 0;  ///< The most memory that one of its processes had at once, in any execution.
  /// Of a command: those of the executions whose times were taken, as a shell says them; ascending, each once.
  std::optional<std::vector<int>> exit_codes = {};
  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

}  // namespace tally
