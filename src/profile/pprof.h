/// A profile as pprof reads it: an uncompressed profile.proto message. Pure.
///
/// Source: profile.proto of github.com/google/pprof. One sample for each call path with cost of its own, leaf first;
/// its values are the event and nothing else. Paths are made from call edges (see call_tree.h); where that is
/// approximate, a comment of the profile says so.
#pragma once

#include <cstddef>
#include <string>

#include "profile/profile.h"

namespace tally {

std::string to_pprof(const Profile& profile, std::size_t event);

}  // namespace tally
