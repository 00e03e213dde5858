/// The subject of a session, and the frame that requests its child from a host. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/builder.h"
#include "session/case_dialogue.h"
#include "session/perturbation.h"

namespace tally {

struct SessionRequest {
  DialogueRules rules;
  BuiltCase built;
  std::uint32_t job = 0;
  std::size_t to_come = 0;  ///< Sessions that its host is to expect after this one.
  Perturbation perturbation;
  std::vector<int> cpus;
  std::string folder;    ///< Where a case without a model runs.
  std::string examiner;  ///< With Mode::result: the Python text that makes a statement report what it leaves.
  /// The files that a process has in memory and the host had not, where they are to be noted; else null.
  std::function<std::vector<std::string>(int pid)> loaded_by;
  std::string dumps;  ///< The host's folder of Callgrind's output, or of traces; empty where there is none.
};

/// An error (input): the case's text is longer than a frame may be.
Result<std::string> request_frame(const SessionRequest& request);

}  // namespace tally
