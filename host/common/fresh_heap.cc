#include "fresh_heap.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace tally::host {

namespace {

using Address = std::uintptr_t;

constexpr std::size_t kBudget = std::size_t{64} << 20U;
constexpr Address kBoundary = Address{1} << 20U;
constexpr std::size_t kLargestHole = std::size_t{100} << 10U;  // below malloc's threshold for mmap
constexpr std::size_t kExact = 1040;  // up to here the thread cache has a bin for each size, and serves that size only
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kHeader = 8;
constexpr std::size_t kLargestBlock = 512;
constexpr std::size_t kLargestPool = 16384;

/// Allocates and keeps, up to the budget; 0 beyond it.
struct Filler {
  void* (*allocate)(std::size_t);
  std::size_t spent = 0;

  Address take(std::size_t size) {
    spent += size;
    return spent > kBudget ? 0 : reinterpret_cast<Address>(allocate(size));
  }
};

/// Where the heap's last, unbounded chunk starts: what is allocated at or above it fills no hole.
Address top() { return reinterpret_cast<Address>(::sbrk(0)) - ::mallinfo2().keepcost; }

void fill_holes_of(Filler& filler, std::size_t size) {
  const Address fresh = top();
  for (Address at = 1; at != 0 && at < fresh;) at = filler.take(size);
}

}  // namespace

void fill_malloc() {
  Filler filler{std::malloc};
  // Larger holes first: what is left of one is filled by a smaller size.
  for (std::size_t size = kLargestHole; size > kExact; size -= size / 8) fill_holes_of(filler, size);
  for (std::size_t size = kExact - kHeader; size > kAlignment; size -= kAlignment) fill_holes_of(filler, size);
  Address at = top();
  const Address wanted = (at + 4 * kBoundary) & ~(kBoundary - 1);
  while (at < wanted) {
    const std::size_t left = wanted - at;
    const std::size_t chunk = left > kLargestHole + kBoundary ? kLargestHole & ~(kAlignment - 1)
                              : left > kLargestHole           ? (left / 2 & ~(kAlignment - 1))
                                                              : left;
    if (filler.take(chunk - kHeader) == 0) return;
    at += chunk;
  }
  ::malloc_trim(0);
}

void fill_pools(void* (*allocate)(std::size_t), std::size_t arena) {
  Filler filler{allocate};
  // A fresh arena follows on a run of blocks that is an arena long: the one before it was fresh as well.
  Address start = 0;
  Address last = 0;
  for (bool whole = false; !whole;) {
    const Address at = filler.take(kLargestBlock);
    if (at == 0) return;
    if (at < last || at > last + kLargestPool + kLargestBlock) {
      whole = start != 0 && last - start > arena - 2 * kLargestPool;
      start = at;
    }
    last = at;
  }
  for (std::size_t size = kAlignment; size < kLargestBlock; size += kAlignment) {
    for (Address at = 1; at != 0 && (at < start || at >= start + arena);) at = filler.take(size);
  }
}

}  // namespace tally::host
