/// How a host ended, in words for its user. Pure.
#pragma once

#include <string>

#include "process/process.h"

namespace tally {

/// How it ended, and the last line with a word in it of what it wrote before, without Valgrind's prefix.
std::string last_words(const ProcessResult& result);

/// What helps where these last words say why a program does not start: "; Valgrind cannot run it: …". Empty: nothing is
/// known.
std::string hint_for_start(std::string_view last_words);

/// As waitpid(2) gives it; of one that was cut short, that of SIGKILL.
int wait_status_of(const Outcome& outcome);

}  // namespace tally
