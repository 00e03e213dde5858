/// Sets up this process to measure, or to have a server measure: signals, child processes, CPUs, messages.
#pragma once

#include <iosfwd>
#include <memory>

#include "cli/context.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "discovery/caller.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "run/workspace.h"
#include "serve/client.h"

namespace tally::cli {

class Measuring {
 public:
  /// With a server where the options and what runs say so. An error: no signals, no such CPUs, no place for temporary
  /// files, not the server that was requested.
  static Result<std::unique_ptr<Measuring>> begin(const Context& context, const RunOptions& options, std::ostream& err);
  /// With --keep, says where the temporary files are.
  ~Measuring();
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  /// Of this process; there is none where a server measures.
  [[nodiscard]] Workspace& workspace() { return *workspace_; }
  [[nodiscard]] bool is_served() const { return server_ != nullptr; }
  /// Here, or by the server; `plan` is what the server is given of the request's plan.
  Result<RunResult> measure(const RunRequest& request, const serve::ServedPlan& plan);
  [[nodiscard]] Progress& progress() { return progress_; }

 private:
  Measuring(Interrupts interrupts, const Context& context, const RunOptions& options, std::ostream& err);

  Interrupts interrupts_;
  RealProcessRunner runner_;
  Progress progress_;
  std::unique_ptr<serve::Client> server_;
  std::string cores_;
  std::unique_ptr<Workspace> workspace_;
  std::string kept_;  ///< The folder of temporary files, with --keep.
};

/// This tally, for code that measures with it.
Surroundings surroundings_of(const Context& context);

/// The user of this process, as the caller of a run.
Caller caller_of(const Context& context);
/// With what these options say in the place of the environment.
Caller caller_of(const Context& context, const RunOptions& options);

}  // namespace tally::cli
