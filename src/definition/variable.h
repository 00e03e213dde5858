/// Which environment variables a toolchain may set for its hosts. Pure.
#pragma once

#include <string>

#include "base/error.h"

namespace tally {

/// An error (input), with no place: the name is none, or tally sets that variable itself or takes it from the user, as
/// docs/reference/execution.md lists them. What a toolchain says there would be lost, or would take from a host what it
/// needs.
Status check_variable(const std::string& name, const std::string& value);

}  // namespace tally
