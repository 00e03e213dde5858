/// Runs statements under torch.profiler, one process for each, and keeps their traces and figures.
///
/// Owns: the job for the Python driver (host/python/trace_record.py), and what becomes of its answer. Writes
/// OUTPUT/NAME.trace.json and OUTPUT/NAME.figures.json.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "process/process.h"
#include "recording/request.h"
#include "recording/traced_statements.h"
#include "trace/trace_result.h"

namespace tally {

/// The process that records.
struct RecordingSurroundings {
  EnvironmentVariables environment;
  std::string working_folder;
  std::string libexec;  ///< Where the driver is.
};

struct Recording {
  json::Value answer;  ///< The driver's: trace_record.py describes it.
  json::Object entry;  ///< What is written of it.
  std::vector<trace::TraceResult> traces;
};

class TraceRecorder {
 public:
  /// The runner and the request outlive it. An error (input): an option of the profiler is none.
  static Result<TraceRecorder> make(ProcessRunner& runner, RecordingSurroundings around,
                                    const RecordingRequest& request);

  /// An error: there is no interpreter, the statement failed, or its files cannot be written.
  Result<Recording> record(const TracedStatement& statement);

 private:
  TraceRecorder(ProcessRunner& runner, RecordingSurroundings around, const RecordingRequest& request,
                json::Object profiler)
      : runner_(runner), around_(std::move(around)), request_(request), profiler_(std::move(profiler)) {}
  Result<json::Object> drive(const TracedStatement& statement, const std::string& python, const std::string& trace);

  ProcessRunner& runner_;
  RecordingSurroundings around_;
  const RecordingRequest& request_;
  json::Object profiler_;
};

}  // namespace tally
