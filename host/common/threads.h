/// How many threads this process has, without allocating. 0 when /proc does not tell.
#pragma once

namespace tally::host {

int count_threads();

}  // namespace tally::host
