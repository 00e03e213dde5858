/// What a system call of the guest's returns, when the counter answers in the kernel's place.
#pragma once

#include <libvex_guest_amd64.h>

#include "valgrind.h"

namespace tally::counter {

/// In the callback after the call. A negative errno's number is an error.
inline void answer(ThreadId thread, Word result) {
  VG_(set_shadow_regs_area)(thread, 0, offsetof(VexGuestAMD64State, guest_RAX), sizeof result,
                            reinterpret_cast<const UChar*>(&result));
}

}  // namespace tally::counter
