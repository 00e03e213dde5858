/// What definitions of every form may say of how their cases are run, and where it stands. Plain data.
#pragma once

#include <string>
#include <vector>

#include "definition/settings.h"
#include "definition/snippet.h"

namespace tally {

/// What every form of definition may say, and the suite for all of them.
struct Options {
  std::vector<int> threads = {};  ///< Empty: the suite's, or one.
  /// Where it runs: "cpu", or a kind of device. Empty: the suite's, or wherever its text says.
  std::vector<std::string> devices = {};
  std::vector<std::string> tags = {};  ///< Added to the suite's.
  std::string toolchain = {};          ///< Empty: the suite's, or the built-in one of the case's language.
  CaseSettings settings = {};
};

/// Where things stand in the suite file, for errors; all unknown when built in code.
struct Places {
  SourcePosition definition = {};
  SourcePosition label = {};
  SourcePosition autograd = {};
  SourcePosition threads = {};
  SourcePosition devices = {};
  SourcePosition toolchain = {};
  SourcePosition tags = {};
  SourcePosition run_time = {};
  SourcePosition flush = {};
};

}  // namespace tally
