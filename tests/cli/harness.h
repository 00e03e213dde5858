/// For the tests of the built command: run it, read its record, hold its output to a golden text.
///
/// Every run has an environment of its own making and shares one build cache below the build folder, so that only the
/// first pays for preludes. Runs lease the machine's CPUs: the tests lock them against each other (RESOURCE_LOCK).
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/golden.h"
#include "process/real_runner.h"
#include "record/json.h"

namespace tally::cli_test {

namespace fs = std::filesystem;

struct Ran {
  int code = -1;  ///< -1: it did not exit.
  std::string out;
  std::string err;
};

struct How {
  std::string folder = TALLY_SOURCE_DIR;
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  std::string cache = TALLY_BUILD_DIR "/tests/cli-cache";
  EnvironmentVariables more = {};
  std::string program = {};                  ///< Another tally; empty: that of the build.
  std::vector<std::string> started_by = {};  ///< A command that starts tally, such as unshare.
};

inline std::string tally_path() { return TALLY_BUILD_DIR "/tally"; }
inline std::string suite(const std::string& name) { return "tests/cli/suites/" + name + ".toml"; }

/// Runs the built command to its end. A failure where it does not exit.
Ran tally(const std::vector<std::string>& arguments, const How& how = {});

/// The record of `tally run SUITE ARGUMENTS`; `ran` says how it went.
Record record_of(std::vector<std::string> arguments, Ran& ran, const How& how = {});

/// The case of one label in this language. A failure where there is none.
const CaseRecord& case_of(const Record& record, const std::string& label, const std::string& language);

/// Every match of the pattern (std::regex) replaced.
std::string masked(const std::string& text, const std::string& pattern, const std::string& by);

}  // namespace tally::cli_test
