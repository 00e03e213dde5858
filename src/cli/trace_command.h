/// `tally trace`: figures of profiler traces, and `tally trace diff`: what changed between two.
///
/// Owns: the options, opening files, choosing the output. Exit codes: 0 fine, 1 nothing in a trace could be used, 2
/// wrong usage or an unreadable file.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/option_set.h"
#include "cli/trace_record.h"

namespace tally::cli {

enum class TraceTask { report, diff, record };

struct TraceOptions {
  TraceTask task = TraceTask::report;
  std::vector<std::string> files;  ///< One or more; "-" is standard input.
  std::string diff_before, diff_after;
  TraceRecordOptions record;
  bool json = false;
  bool legacy = false;
  bool no_operators = false;
  bool no_steps = false;
  bool full_names = false;
  int threads = 2;
  double duration_seconds = 0;
  std::size_t kernels = 20;  ///< 0 is all.
  std::string html;          ///< Also write a page here.
};

/// Declares the options and the subcommands `diff` and `record` on `tally trace`.
void add_trace_options(OptionSet& trace, TraceOptions& options);

int run_trace(const Context& context, const TraceOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
