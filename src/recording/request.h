/// A request to record statements under torch.profiler. Plain data.
#pragma once

#include <string>
#include <vector>

namespace tally {

struct RecordingRequest {
  std::string suite;  ///< Its file; or a statement.
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
};

}  // namespace tally
