#include "pinned_stack.h"

#include <cstdint>

namespace tally::host {

namespace {

constexpr std::uintptr_t kBoundary = std::uintptr_t{1} << 20;
constexpr std::uintptr_t kHeadroom = std::uintptr_t{256} << 10;  // so that growing environments seldom cross a boundary

}  // namespace

__attribute__((noinline)) void call_on_pinned_stack(void (*function)(void*), void* argument, std::size_t padding) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t target = ((frame - kHeadroom) & ~(kBoundary - 1)) - ((padding + 63) & ~std::size_t{63});
  // alloca returns an address a little above the new stack pointer; asking in two steps lands exactly.
  auto* probe = static_cast<char*>(__builtin_alloca(64));
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(probe) - target;
  auto* pinned = static_cast<char*>(__builtin_alloca(distance));
  asm volatile("" : : "r"(pinned), "r"(probe) : "memory");
  function(argument);
  asm volatile("" : : "r"(pinned) : "memory");
}

}  // namespace tally::host
