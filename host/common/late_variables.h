/// The variables of protocol/late_variables.h in a host. Room for them is made while it starts; when they come, they
/// are written there: they allocate nothing, and their lengths move nothing.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/frame.h"

namespace tally::host {

/// Hears the value of each variable, by its place in kLateVariables, or that it has none. Must not allocate.
using HearVariable = void (*)(std::size_t which, std::string_view value, bool is_set);

/// Allocates, so: before the host's heap is settled. `hear` may be null.
void make_room_for_late_variables(HearVariable hear);

/// What the message says is in the environment afterwards, and those of the variables that it leaves out are not.
/// Nothing where no room was made.
void set_late_variables(const protocol::Message& message);

}  // namespace tally::host
