/// What becomes of a forked process before a case runs in it: its descriptors, place, limits, and last words.
#pragma once

#include "channel.h"

namespace tally::host {

/// Configures this process for `request` and returns the channel to the runner, or never returns.
/// `socket` becomes protocol::kCaseSocket, `output` standard output and error; everything else is closed, but what the
/// program had open before its cases (open_files.h).
Channel become_case_child(const protocol::Message& request, int socket, int output);

/// The same of the host's own process, which has threads and is not forked: their descriptors stay open.
Channel become_case_here(const protocol::Message& request, int socket, int output);

/// What becomes of SIGPIPE in cases: what did so before the host ignored it. Python ignores it from its start on, and
/// makes an exception of it.
void keep_pipe_signal_in_cases(void (*handler)(int));
/// Case children that are forked from now on keep protocol::kCaseOutput open, too.
void keep_output_in_cases();
/// Likewise, all that is open.
void keep_all_in_cases();

/// From now on a deadly signal is first reported on the channel (stage, signal, address), then kills as it would have.
/// One that something handles stays its own: runtimes live on SIGSEGV.
void report_crashes(const Channel& channel, std::uint32_t job);

}  // namespace tally::host
