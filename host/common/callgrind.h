/// Callgrind's client requests, as far as hosts use them. Outside Valgrind they do nothing.
///
/// The collect state belongs to one thread, and each is born with it on (--collect-atstart=yes): the main thread
/// collects in regions only, all others always, and so do signal handlers (the host's own, of one instruction, made the
/// empty loop of each case one longer than the last one's, once a case began without a dump). (Born with it off, 5,259
/// of 12,010,071 instructions of a region with four threads were counted.) So where a process has a second thread, a
/// region must begin with a dump. Not with ZERO_STATS: it zeroes only what Callgrind filed under the current thread,
/// and a block may be filed under another one. With it, the first region after a warm-up of 10, 50 and 300 rounds of an
/// autograd statement read 0.3, 1.2 and 7.1 % too much, and a TorchScript statement 10 %. A dump writes and zeroes the
/// counters of all threads; each walks every block that was ever executed, 15 ms with libtorch.
#pragma once

#include "protocol/followed_calls.h"

namespace tally::host::callgrind {

bool running();  ///< Under Valgrind, whichever tool.

/// Starts counting and translating. Flushes all translated code (≈ 0.6 s to make it again for libtorch), so: once, in
/// the host. The calling thread collects until stopped.
void start_instrumentation();

/// Whether the main thread, which must be the caller, is counted.
void collect(bool on);

/// Whether the main thread is counted now.
bool collects();

/// Whether another thread, the caller, is counted: the opposite of before.
void toggle();

/// Counters since the last dump go to a file "<--callgrind-out-file>.<n>" and become 0. Returns n, which counts from
/// 1 in each process; 0 outside Valgrind. A region ends in it: it takes as many instructions in every process.
unsigned dump();

/// As dump(), but what was counted is no region: nobody reads the file, and the counter leaves functions out of it
/// (finding the names of all that a setup executes takes longer than to execute it).
void discard();

/// The counter follows this from here on, and this process's dumps have it. Everything is translated anew for it, so:
/// as short a while before the region as can be. What is followed then: nothing where whoever counts is not the
/// counter, which knows no such request.
protocol::Followed follow(protocol::Followed wanted);

/// A forked process calls this: Callgrind begins with another file there, and counts from 1 again.
void after_fork();

}  // namespace tally::host::callgrind
