/// Reads the debug information of one object: names of functions, and source lines of addresses.
///
/// Finds it where debuggers do: in the object itself, its MiniDebugInfo (.gnu_debugdata), a separate debug file by
/// build ID or .gnu_debuglink, in the object's folder, the folder .debug beside it and /usr/lib/debug. Asks no server.
/// Addresses are the file's own. Reads files, by elfutils' libdw; what cannot be read says nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profile/elf_functions.h"
#include "profile/line_costs.h"

namespace tally {

class DebugInfo {
 public:
  explicit DebugInfo(const std::string& object);
  ~DebugInfo();
  DebugInfo(DebugInfo&&) noexcept;
  DebugInfo& operator=(DebugInfo&&) noexcept;
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  /// The function that holds an address; without a name where none is known.
  [[nodiscard]] ElfFunction function_at(std::uint64_t address) const;

  /// The line of the instruction, and of each call by which its code was inlined, from within. Empty: not known.
  [[nodiscard]] std::vector<SourceLine> lines_at(std::uint64_t address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tally
