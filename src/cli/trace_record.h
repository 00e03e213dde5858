/// `tally trace record`: runs statements under torch.profiler, keeps their traces and figures.
///
/// Owns: the options, the job for the Python driver (host/python/trace_record.py), naming the files. One process for
/// each case. Exit codes: 0 all recorded, 1 a case failed, 2 wrong usage or an unreadable suite, 130 interrupted.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct TraceRecordOptions {
  bool requested = false;  ///< `tally trace record` was given.
  std::string suite;
  std::vector<std::string> filters;
  std::string stmt;
  std::string setup;
  std::string toolchain = "torch";  ///< Of a statement; a suite's cases name their own. The next likewise.
  int threads = 1;
  int runs = 10;
  std::string context;  ///< A Python expression: "torch.no_grad()".
  std::string activities = "cpu,cuda";
  std::string devices = "cuda";         ///< "cpu": no run waits for a device.
  std::vector<std::string> profiler;    ///< KEY=VALUE, VALUE a Python expression.
  bool no_steps = false;                ///< Runs are not marked as ProfilerSteps.
  bool legacy = false;                  ///< The old helper's figures too, of a trace without marks.
  std::string output = "tally-traces";  ///< A folder.
  std::string python;                   ///< An interpreter; empty: the toolchain's first that has its modules.
  double timeout_s = 600;
  bool json = false;
};

void add_trace_record_options(OptionSet& record, TraceRecordOptions& options);

int run_trace_record(const Context& context, const TraceRecordOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
