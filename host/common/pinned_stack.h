/// Calls a function with the stack pointer at an address that does not depend on the environment or the arguments.
///
/// Both lie above the first frame, so that 3 KB more environment moved a string sort by 1.5 % (alignment, and where in
/// its page a buffer falls). The stack is moved down to a fixed distance from a 1 MB boundary; the pages between are
/// never touched.
#pragma once

#include <cstddef>

namespace tally::host {

/// `padding` moves the stack further down on purpose: a perturbation for finding noise floors.
void call_on_pinned_stack(void (*function)(void*), void* argument, std::size_t padding);

}  // namespace tally::host
