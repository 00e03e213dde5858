/// The frameworks of Python programs: one name for the suite's key, the command's option and the host's script.
#pragma once

#include <array>
#include <string_view>

namespace tally {

struct Framework {
  std::string_view name;    ///< [[program]] pytest = …, `tally run --pytest …`, host/python/tally_pytest.py.
  std::string_view module;  ///< That its interpreter must have; empty: none.
  std::string_view paths;   ///< What it is given, in a word for help and errors.
};

inline constexpr std::array<Framework, 4> kFrameworks = {{
    {"pytest", "pytest", "PATH"},
    {"asv", "", "DIR"},
    {"pyperf", "pyperf", "SCRIPT"},
    {"script", "", "FILE"},
}};

/// Null: there is none of this name.
constexpr const Framework* find_framework(std::string_view name) {
  for (const Framework& one : kFrameworks) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace tally
