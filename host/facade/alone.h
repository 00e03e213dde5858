/// Programs of <tallymark/bench.h> by themselves: the same flags and reports as those of Google Benchmark's interface.
#pragma once

namespace tally::alone {

/// Runs the registry's benchmarks as the command line says, and returns the exit code.
int run(int argc, char** argv);

}  // namespace tally::alone
