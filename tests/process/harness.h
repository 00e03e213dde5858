/// What the tests over real processes share: a runner with the built supervisor, the victims, and a look for survivors.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "process/real_runner.h"

namespace tally::testing {

inline std::string supervisor_path() { return TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"; }
inline std::string victim(const std::string& name) { return TALLY_BUILD_DIR "/tests/victims/" + name; }

inline ProcessRequest request_for(std::vector<std::string> argv) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = {{"PATH", "/usr/bin:/bin"}};
  return request;
}

/// The processes whose environment holds `mark` ("NAME=value"): whatever they did to their session or parents.
inline std::vector<int> survivors(const std::string& mark) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ostringstream environment;
    environment << std::ifstream(entry.path() / "environ").rdbuf();
    if (environment.str().contains(mark)) found.push_back(pid);
  }
  return found;
}

/// How long a test waits for what must come, on a machine that has other things to do: never what it measures.
constexpr Milliseconds kPatience{600'000};

/// Whether nothing with `mark` lives any more, now or `within` so long.
inline bool all_gone(const std::string& mark, Milliseconds within = Milliseconds(0)) {
  const Clock::time_point end = Clock::now() + within;
  for (;;) {
    if (survivors(mark).empty()) return true;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(Milliseconds(10));
  }
}

/// A runner, and a mark in the environment of everything that a test starts with it.
class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest()
      : mark_("TALLY_TEST_MARK=" + std::to_string(getpid()) +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        runner_(supervisor_path()) {}
  void TearDown() override { EXPECT_TRUE(all_gone(mark_)); }

  [[nodiscard]] ProcessRequest victim_request(const std::string& name, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), victim(name));
    ProcessRequest request = request_for(std::move(arguments));
    const std::size_t equals = mark_.find('=');
    request.environment.emplace_back(mark_.substr(0, equals), mark_.substr(equals + 1));
    return request;
  }

  /// A pipe as the process's descriptor `target`; our end is watched.
  int pipe_to(ProcessRequest& request, int target) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    request.pass_fds.push_back({target, UniqueFd(ends[1])});
    ours_.emplace_back(ends[0]);
    runner_.watch(ends[0]);
    return ends[0];
  }

  std::string mark_;
  std::vector<UniqueFd> ours_;
  RealProcessRunner runner_;
};

}  // namespace tally::testing
