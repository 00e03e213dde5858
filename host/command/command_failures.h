/// Failures of a command's case, as its runner gets them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "channel.h"
#include "folders.h"

namespace tally::host {

class CommandFailures {
 public:
  CommandFailures(Channel channel, std::uint32_t job) : channel_(channel), job_(job) {}

  void report(protocol::Stage stage, const std::string& message, const std::string& detail = {}) const;
  /// False: it could not be done, and the failure has been reported.
  [[nodiscard]] bool is_done(const std::optional<FolderProblem>& problem) const;

 private:
  Channel channel_;
  std::uint32_t job_;
};

/// What errno stands for.
std::string failure_reason();

}  // namespace tally::host
