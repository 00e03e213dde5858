/// `tally trace record`: runs statements under torch.profiler, keeps their traces and figures.
///
/// Owns: the options, and what is printed. One process for each case. Exit codes: 0 all recorded, 1 a case failed, 2
/// wrong usage or an unreadable suite, 130 interrupted.
#pragma once

#include <iosfwd>

#include "cli/context.h"
#include "cli/option_set.h"
#include "recording/request.h"

namespace tally::cli {

struct TraceRecordOptions {
  RecordingRequest recorded;
  bool json = false;
};

void add_trace_record_options(OptionSet& record, TraceRecordOptions& options);

int run_trace_record(const Context& context, const TraceRecordOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
