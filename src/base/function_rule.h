/// A rule about functions of a profile, as data: its name, its reason, and the functions that it matches.
///
/// Patterns are globs over whole texts. profile applies rules; toolchains bring some of their own.
#pragma once

#include <string>
#include <vector>

namespace tally {

struct FunctionRule {
  std::string name;                    ///< "dict-probing"
  std::string reason;                  ///< One sentence for a list.
  std::vector<std::string> functions;  ///< Any of these globs, over the demangled name; empty: every function.
  std::string object;                  ///< Glob over the object's base name; empty: every object.
  friend bool operator==(const FunctionRule&, const FunctionRule&) = default;
};

}  // namespace tally
