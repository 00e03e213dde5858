/// The messages between tally and tally-supervisor over one SOCK_SEQPACKET pair. Both are built together: no version.
///
/// tally-supervisor FD SCRATCH GRACE PATH ARGV0 ARG… runs PATH as its child. SCRATCH is the absolute path of a folder
/// that it removes when tally's end closes before the command's end was reported; empty for none. Orders are single
/// bytes; the closing of tally's end is the order to kill, GRACE milliseconds later. The supervisor sends one report
/// when nothing of the tree lives any more, and then exits.
#pragma once

#include <cstdint>

namespace tally::supervisor {

constexpr char kInterruptTree = 'I';  ///< SIGINT to every descendant.
constexpr char kTerminateTree = 'T';  ///< SIGTERM to every descendant.
constexpr char kKillTree = 'K';       ///< SIGKILL until none is left.
constexpr char kSweepTree = 'S';      ///< SIGKILL to what lost its parent.

struct Report {
  std::int32_t exec_errno = 0;   ///< Not 0: the command never ran.
  std::int32_t wait_status = 0;  ///< Of the command, as wait4 gives it.
  std::int32_t leftovers = 0;    ///< Descendants that were alive when it ended.
};

}  // namespace tally::supervisor
