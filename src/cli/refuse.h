/// How a command ends that cannot do what it was asked.
#pragma once

#include <ostream>
#include <string_view>

#include "base/error.h"

namespace tally::cli {

/// Says on `err` why, with the place and the mend; the exit code of bad input.
inline int refuse(std::string_view command, const Error& error, std::ostream& err) {
  err << "tally " << command << ": " << describe(error) << '\n';
  return 2;
}

}  // namespace tally::cli
