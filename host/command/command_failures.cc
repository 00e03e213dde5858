#include "command_failures.h"

#include <cerrno>
#include <cstring>

#include "shared_page.h"

namespace tally::host {

using protocol::Field;

void CommandFailures::report(protocol::Stage stage, const std::string& message, const std::string& detail) const {
  shared_page().failed = 1;
  auto failure = channel_.compose(protocol::MessageType::failed, job_);
  failure.number(Field::stage, static_cast<std::uint64_t>(stage)).text(Field::message, message.substr(0, 4096));
  failure.text(Field::detail, detail.substr(0, 4096));
  channel_.send(failure);
}

bool CommandFailures::is_done(const std::optional<FolderProblem>& problem) const {
  if (problem) report(protocol::Stage::setup, problem->message, problem->detail);
  return !problem;
}

std::string failure_reason() { return std::strerror(errno); }  // NOLINT(concurrency-mt-unsafe): there is one thread

}  // namespace tally::host
