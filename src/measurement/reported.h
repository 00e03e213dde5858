/// The figure that a benchmark reports in place of a count and a time. Plain data.
#pragma once

#include <string>

namespace tally {

/// What it returns, or how large that is.
struct Reported {
  double value = 0;
  std::string unit;  ///< "bytes", "unit"; empty: it names none.
  friend bool operator==(const Reported&, const Reported&) = default;
};

}  // namespace tally
