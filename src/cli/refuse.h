/// Ends a command that cannot do what was requested: its message and its exit code.
#pragma once

#include <ostream>
#include <string_view>

#include "base/error.h"

namespace tally::cli {

/// Says on `err` why, with the place and the hint; the exit code, which is that of bad input unless another is given.
inline int refuse(std::string_view command, const Error& error, std::ostream& err, int code = 2) {
  err << "tally " << command << ": " << describe(error) << '\n';
  return code;
}

/// The same of an output that could not be written: only a wrong path is bad input.
inline int refuse_output(std::string_view command, const Error& error, std::ostream& err) {
  return refuse(command, error, err, error.kind == ErrorKind::input ? 2 : 1);
}

}  // namespace tally::cli
