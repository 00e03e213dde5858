/// A profile in the formats of other tools. Pure.
///
/// Callgrind's own format keeps everything (KCachegrind opens it). Speedscope and collapsed stacks want stacks, which
/// are made from call edges (see call_tree.h): when that is approximate, the speedscope name and the first frame of
/// every collapsed stack say so.
#pragma once

#include <string>

#include "profile/profile.h"

namespace tally {

/// One line number, 0, for all: profiles keep no lines. Names of functions are demangled, as in Callgrind's own files.
std::string to_callgrind(const Profile& profile);
std::string to_speedscope(const Profile& profile, std::size_t event, const std::string& name);
std::string to_collapsed(const Profile& profile, std::size_t event);

}  // namespace tally
