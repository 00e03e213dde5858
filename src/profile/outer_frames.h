/// The frames in which a region was executed: a host's, which are the same for every statement.
///
/// Callgrind charges each call on the stack at the region's end with all of the region. In a graph of calls these
/// frames are a tower above the statement, and where the statement calls one of them again (Python's host calls as
/// Python does), its part is drawn on top of the tower, as if it happened twice. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "profile/profile.h"

namespace tally {

struct Statement {
  Profile profile;                    ///< With calls of its own only.
  std::optional<std::uint32_t> root;  ///< The function that it stood in. None: there is no tower to be seen.
};

/// Takes one whole region off the calls that lead from the bottom of the stack to the statement: of each function, the
/// call with the most of it.
Statement without_outer_frames(Profile profile, std::size_t event);

}  // namespace tally
