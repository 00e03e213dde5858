/// This process as one that measures: its signals, its child processes, its CPUs, and what it says meanwhile.
#pragma once

#include <iosfwd>
#include <memory>

#include "cli/context.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "run/workspace.h"

namespace tally::cli {

class Measuring {
 public:
  /// An error: no signals, no such CPUs, no place for temporary files.
  static Result<std::unique_ptr<Measuring>> begin(const Context& context, const RunOptions& options, std::ostream& err);
  /// With --keep, says where the temporary files are.
  ~Measuring();
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  [[nodiscard]] Workspace& workspace() { return *workspace_; }
  [[nodiscard]] Progress& progress() { return progress_; }

 private:
  Measuring(Interrupts interrupts, const Context& context, const RunOptions& options, std::ostream& err);

  Interrupts interrupts_;
  RealProcessRunner runner_;
  Progress progress_;
  std::unique_ptr<Workspace> workspace_;
  std::string kept_;  ///< The folder of temporary files, with --keep.
};

}  // namespace tally::cli
