/// The order in which a reader looks for devices and streams.
#pragma once

#include <string>

namespace tally::trace {

/// Numbers first, as numbers.
bool label_before(const std::string& a, const std::string& b);

}  // namespace tally::trace
