/// The program in the hands of `tally`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "call.h"

namespace tally::embedded {

/// Serves until the runner has no more cases; returns the exit code.
int serve();

/// Writes the list of benchmarks where the runner expects it, or what comes there after so many that are written
/// already; returns the exit code.
int write_list(std::optional<std::size_t> written = {});

/// For programs that know their benchmarks only once they have reached them: in the process of a case whose name is not
/// registered, `seek` is called, and calls one of the two below.
void seek_others(void (*seek)(std::string_view name));

/// The case's benchmark is found: measures it, here, and ends the process.
[[noreturn]] void measure_sought(std::function<void(detail::Call&)> function);

/// For programs whose functions do not say what they report to their Call, unless `prepare` was called in the process,
/// in which nothing can be measured then: each case has such a process, with a call of its own.
void note_apart(void (*prepare)());

/// It is not, for this reason.
[[noreturn]] void fail_sought(const std::string& reason);

}  // namespace tally::embedded
