/// What is requested of a command's case, as in the runner's message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/frame.h"

namespace tally::host {

struct CommandRequest {
  std::vector<std::string> arguments;  ///< The program first.
  std::vector<std::string> variables;  ///< "NAME=VALUE"
  std::vector<int> expected;           ///< Exit codes; empty: any end will do.
  std::string before_all;              ///< Texts that a shell runs; empty: there is none.
  std::string after_all;
  std::string prepare;
  std::string input;
  std::string output;         ///< A file, or one of protocol::kOutput…
  std::uint64_t warm_up = 0;  ///< Executions that are left to do before one is timed.
  bool answers = true;        ///< Randomness and clocks are ours, and not the system's.
  bool wants_own_numbers = false;
  bool wants_private_tmp = false;
};

CommandRequest read_request(const protocol::Message& message);

}  // namespace tally::host
