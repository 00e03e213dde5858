/// What the facade's parts share: the families of benchmarks, a call of one, and the handshake with `tally`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "call.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// In the order of their registration; also while other static objects are made.
std::vector<std::unique_ptr<::benchmark::Benchmark>>& families();

/// Runs a family's function as this call. What its State reported (counters, label, why it was skipped) is then in the
/// call's notes. In one thread; setup and teardown are the caller's.
void run_function(::benchmark::Benchmark& family, ::tally::detail::Call& call, const std::string& name);

/// Calls the family's Setup() or Teardown(), if it has one, with a state that shows the arguments and threads.
void set_up(const ::benchmark::Benchmark& family, const std::vector<std::int64_t>& args, int threads);
void tear_down(const ::benchmark::Benchmark& family, const std::vector<std::int64_t>& args, int threads);

/// Serves `tally`, and does not return, where that has started the program to serve. A number: it was started to list
/// its benchmarks, which is done, and none is to run: how many there are.
std::optional<std::size_t> serve_if_asked(const std::string& filter);
/// All families are gone: others may have their addresses.
void forget_listed();

}  // namespace internal

TALLYMARK_FACADE_END
