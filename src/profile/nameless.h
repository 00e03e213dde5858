/// Code that Callgrind found no symbol for, and the profile once names are found after all. Pure.
///
/// Callgrind calls such code by its address, each block of instructions that is entered from elsewhere a function of
/// its own: one function of a stripped library is many, and its jumps are calls between them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace tally {

/// The address that stands for a name, as the object's file counts it: "0x00000000000a58e0".
std::optional<std::uint64_t> nameless_address(std::string_view name);

/// What lies at an address of an object.
struct CodeName {
  std::string name;       ///< Empty: nothing is known.
  bool is_entry = false;  ///< It begins there: what goes there is a call, and elsewhere a jump.
};
using CodeNames = std::function<CodeName(const std::string& object, std::uint64_t address)>;

/// With the names that are known, blocks of one function put together: their costs are added, and jumps between them
/// are no calls any more. All other figures stay.
Profile with_names(const Profile& profile, const CodeNames& names);

/// An object's code that has no name.
struct NamelessObject {
  std::string object;  ///< Its path.
  std::uint64_t cost = 0;
  friend bool operator==(const NamelessObject&, const NamelessObject&) = default;
};

/// Largest own cost first.
std::vector<NamelessObject> nameless_objects(const Profile& profile, std::size_t event);

}  // namespace tally
