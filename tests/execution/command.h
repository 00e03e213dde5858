/// Runs of the built `tally` for the tests of this folder: in a folder of their own, with a mark in the environment of
/// everything they start, and records that can be compared but for times.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "process/harness.h"

namespace tally::testing {

/// One `tally` that was started; killed with its process group when it goes.
class Command {
 public:
  /// On a terminal of its own (a pty) or with its output in FILE.
  static Command start(std::vector<std::string> argv, const std::string& folder, const std::string& mark,
                       bool terminal);
  Command(Command&& other) noexcept : pid_(std::exchange(other.pid_, -1)), terminal_(std::move(other.terminal_)) {}
  ~Command();

  /// Its exit code, or minus the signal; -1000 when it does not end in time.
  int wait(Milliseconds within = 2 * kPatience);
  void signal(int number) const { ::kill(pid_, number); }
  void press_control_c() const;
  /// What the terminal showed since the last call.
  std::string shown() const;
  [[nodiscard]] int pid() const { return pid_; }

 private:
  Command(int pid, UniqueFd terminal) : pid_(pid), terminal_(std::move(terminal)) {}
  int pid_;
  UniqueFd terminal_;
};

class CommandTest : public ::testing::Test {
 protected:
  CommandTest();
  /// Whatever a test did, nothing of it is left running.
  ~CommandTest() override;

  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] nlohmann::json record(const std::string& name) const { return nlohmann::json::parse(read(name)); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// `tally run suite.toml` with these arguments, --keep-env for the mark, times as short as they can be unless said.
  Command start(std::vector<std::string> arguments, bool terminal = false) const;
  /// The same to its end. What it said is in "output".
  int run(std::vector<std::string> arguments) const { return start(std::move(arguments)).wait(); }

  /// Waits until the file has so many lines.
  void wait_for_lines(const std::string& name, std::size_t lines) const;
  [[nodiscard]] std::size_t lines_in(const std::string& name) const;

  std::string folder_;
  std::string mark_;
  std::string tally_ = TALLY_BUILD_DIR "/tally";
};

/// A record without times, and without what times say of themselves (bimodal, imprecise, stolen, …): what must be the
/// same however often a run was interrupted, and whatever else the machine did.
nlohmann::json without_times(nlohmann::json record);

/// The number in the environment variable, or `otherwise`: longer runs by hand.
int size_from_environment(const char* name, int otherwise);

}  // namespace tally::testing
