/// Memory that is reserved for as much as there could ever be: only what is written takes any.
#pragma once

#include "valgrind.h"

namespace tally::counter {

namespace detail {
// Valgrind 3.19 returns an address, later versions what a system call returns.
inline void* address_of(void* address) { return address; }
inline void* address_of(const SysRes& result) {
  return sr_isError(result) ? nullptr : reinterpret_cast<void*>(sr_Res(result));  // NOLINT(performance-no-int-to-ptr)
}
}  // namespace detail

/// Zeroes, for as long as the process lives.
template <typename T>
T* reserve(UInt count) {
  void* const address = detail::address_of(VG_(am_shadow_alloc)(count * sizeof(T)));
  if (address == nullptr) VG_(tool_panic)("the counter found no room for its counters");
  return static_cast<T*>(address);
}

}  // namespace tally::counter
