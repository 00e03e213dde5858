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

/// The path that a system call has opened; null: it is none that opens, or has failed.
inline const HChar* opened_path(UInt number, const UWord* arguments, SysRes result) {
  constexpr UInt kOpen = 2;
  constexpr UInt kOpenat = 257;
  constexpr UInt kOpenat2 = 437;
  if (sr_isError(result) || (number != kOpen && number != kOpenat && number != kOpenat2)) return nullptr;
  return reinterpret_cast<const HChar*>(arguments[number == kOpen ? 0 : 1]);  // NOLINT(performance-no-int-to-ptr)
}

/// What was opened is closed: the guest finds no such file.
inline void answer_not_found(ThreadId thread, SysRes result) {
  constexpr Word kNoSuchFile = 2;
  VG_(close)(static_cast<Int>(sr_Res(result)));
  answer(thread, -kNoSuchFile);
}

}  // namespace tally::counter
