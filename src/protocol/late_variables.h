/// The variables that say where the user's shell stands. A host gets them once it is ready to serve: what it has
/// imported by then, and an image of it, does not depend on them.
#pragma once

#include <cstddef>

namespace tally::protocol {

inline constexpr const char* kLateVariables[] = {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"};

/// A host has room for values of fewer bytes.
inline constexpr std::size_t kLateRoom = std::size_t{16} << 10U;

}  // namespace tally::protocol
