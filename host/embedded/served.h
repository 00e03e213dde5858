/// The program in the hands of `tally`.
#pragma once

namespace tally::embedded {

/// Serves until the runner has no more cases; returns the exit code.
int serve();

/// Writes the list of benchmarks where the runner expects it; returns the exit code.
int write_list();

}  // namespace tally::embedded
