/// `tally serve`: measure for clients, over a socket or standard input and output, on hosts that stay warm.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "base/error.h"
#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

/// Serve, say what serves there, or end it.
enum class ServeTask { serve, status, stop };

struct ServeOptions {
  ServeTask task = ServeTask::serve;
  std::string socket;  ///< Empty: the default place.
  bool stdio = false;  ///< Instead of a socket.
  std::string idle = "10min";
  std::string memory = "8G";
  std::string cores;
};

void add_serve_options(OptionSet& command, ServeOptions& options);
int run_serve(const Context& context, const ServeOptions& options, std::ostream& out, std::ostream& err);

/// "90s", "10min", "2h"; a number alone is seconds.
Result<std::chrono::milliseconds> parse_duration(const std::string& text, const std::string& where);

}  // namespace tally::cli
