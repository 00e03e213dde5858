/// Who answers a case that asks the system for randomness: we do, the same in each run, or the system itself.
///
/// Under the counter it is the counter that answers (host/counter/entropy.h); this library passes on what it cannot
/// know. Elsewhere, under Callgrind and where time is taken, this library does: it puts functions of its own in the
/// place of getrandom(), getentropy(), arc4random() and its like, and of std::random_device, which ask the system first
/// (so that they take the time that they take) and then overwrite the answer. A program that reads /dev/urandom,
/// makes the system call itself, or asks the processor, reads what the system says there. Allocates nothing.
#pragma once

namespace tally::host::entropy {

/// As a host starts, before it loads what cases use.
void prepare();

/// A case begins, with the first bytes, whatever its host has requested before.
void begin(bool system_answers);

/// The next forked process continues with the same bytes as this one: it executes what this one would.
void keep_over_fork();
/// The forked process calls this first.
void continue_after_fork();

}  // namespace tally::host::entropy
