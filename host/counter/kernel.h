/// System calls that Valgrind is not to know of.
#pragma once

#include "valgrind.h"

namespace tally::counter::kernel {

inline long call(long number, Addr at, SizeT size, long what) {
  asm volatile("syscall" : "+a"(number) : "D"(at), "S"(size), "d"(what) : "rcx", "r11", "memory");
  return number;  // the result by now
}

/// What is read there next are zeroes.
inline void forget(Addr at, SizeT size) {
  constexpr long kMadvise = 28;
  constexpr long kDontNeed = 4;
  call(kMadvise, at, size, kDontNeed);
}

inline void allow(Addr at, SizeT size, long what) {
  constexpr long kMprotect = 10;
  call(kMprotect, at, size, what);
}

}  // namespace tally::counter::kernel
