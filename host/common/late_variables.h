/// The variables of protocol/late_variables.h in a host. Memory for them is reserved while it starts. When they
/// arrive, they are written there, so they allocate nothing, and their lengths move no count.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/frame.h"

namespace tally::host {

/// Called with each variable's place in kLateVariables and its value. A variable without a value is not set. Must not
/// allocate.
using OnLateVariable = void (*)(std::size_t which, std::string_view value, bool is_set);

/// Reserves memory for the variables. Call it before the host's heap is settled, because it allocates. `on_variable`
/// may be null.
void reserve_late_variables(OnLateVariable on_variable);

/// Sets the variables that the message has, and unsets the others. Does nothing where no memory was reserved.
void set_late_variables(const protocol::Message& message);

}  // namespace tally::host
