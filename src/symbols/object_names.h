/// Names of code by its object and address, from the symbols and the debug information of files on this machine.
///
/// For what a process reports by address alone: stacks of allocations, and code that Valgrind has found no symbol for.
/// Valgrind 3.19 reads debug files by build ID and debug link, but neither MiniDebugInfo nor .debug/NAME.debug of an
/// object without a link. Opens each object once, and keeps what it has found.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "profile/profile.h"
#include "symbols/debug_info.h"

namespace tally {

class ObjectNames {
 public:
  /// One for each address; without a name where none is known.
  std::vector<ElfFunction> at(const std::string& object, std::span<const std::uint64_t> addresses);

 private:
  struct Object {
    std::map<std::uint64_t, ElfFunction> known;
    std::optional<DebugInfo> debug;
  };
  std::map<std::string, Object> objects_;
};

/// `profile` with names for the code that Callgrind gives by its address.
Profile with_object_names(const Profile& profile, ObjectNames& names);

}  // namespace tally
