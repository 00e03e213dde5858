/// What commits changed, as a feed: Atom (RFC 4287), an entry for each commit at which counts changed. Pure.
#pragma once

#include <string>

#include "report/history/site.h"

namespace tally {

/// The newest 50. An entry has the time at which its run began, for that is when it came to be known; its id is made of
/// suite and commit, so it stays the same wherever the site is.
std::string render_feed(const HistorySite& site);

}  // namespace tally
