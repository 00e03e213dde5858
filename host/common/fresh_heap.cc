#include "fresh_heap.h"

#include <dlfcn.h>
#include <grp.h>
#include <iconv.h>
#include <malloc.h>
#include <pwd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "memory_map.h"

namespace tally::host {

namespace {

using Address = std::uintptr_t;

constexpr std::size_t kBudget = std::size_t{256} << 20U;  // hardly any of it is ever touched
constexpr Address kHeapBoundary = Address{1} << 20U;
constexpr Address kMappingBoundary = Address{64} << 20U;
constexpr std::size_t kLargestHole = std::size_t{4} << 20U;
constexpr std::size_t kPart = std::size_t{64} << 10U;  // below malloc's threshold for a mapping
constexpr int kParts = 64;
constexpr std::size_t kPiece = std::size_t{1} << 20U;  // what malloc maps at the least when it cannot move the break
constexpr int kGaps = 64;
constexpr std::size_t kExact = 1040;  // up to here the thread cache has a bin for each size, and serves that size only
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kHeader = 8;
constexpr std::size_t kLeast = 32;  // malloc's smallest chunk, and what it always leaves at the end of a heap
constexpr std::size_t kLargestBlock = 512;
constexpr std::size_t kPoolHeader = 48;

constexpr const char* kUser = "USER";
bool g_named_user = false;  // by ask_c_library()

/// The last block of each size that fill_pools() took: it lies in a pool that is free otherwise.
Address g_fresh[kLargestBlock / kAlignment];

/// Allocates and keeps, up to the budget; 0 beyond it.
struct Filler {
  void* (*allocate)(std::size_t);
  std::size_t spent = 0;

  Address take(std::size_t size) {
    spent += size;
    if (spent > kBudget) return 0;
    auto at = reinterpret_cast<Address>(allocate(size));
    asm volatile("" : "+r"(at));  // a compiler leaves out a malloc whose block nobody looks at
    return at;
  }
};

/// Not malloc itself: the address of that is an entry of the program's, where one is linked to one address, and calls
/// of this library would go through it, too.
void* allocate_of_c(std::size_t size) { return std::malloc(size); }

constexpr std::size_t kMapped = 2;
constexpr std::size_t kFlags = 7;

/// What malloc keeps before a block: its chunk's size, with flags in the low bits.
std::size_t chunk_word(Address block) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what malloc wrote before the block it gave
  return *reinterpret_cast<const std::size_t*>(block - kHeader);
}

Address end_of(Address block) { return block + (chunk_word(block) & ~kFlags); }

/// Fills the holes of one size: until `in_a_row` blocks follow on each other, as they do from the heap's last and
/// unbounded chunk only, or until a mapping of its own serves the size. The last block, or 0.
Address fill_holes_of(Filler& filler, std::size_t size, int in_a_row) {
  Address last = 0;
  for (int followed = 0; followed < in_a_row;) {
    const Address at = filler.take(size);
    if (at == 0) return 0;
    if ((chunk_word(at) & kMapped) != 0) return 0;  // freeing it would raise malloc's threshold for mappings
    followed = last != 0 && at == end_of(last) ? followed + 1 : 0;
    last = at;
  }
  return last;
}

/// Fills the holes of one size that malloc keeps no exact list of: until a block comes from the heap's end, where
/// malloc looks last, or from a mapping of its own.
void fill_large_holes_of(Filler& filler, std::size_t size) {
  for (struct mallinfo2 before = ::mallinfo2();;) {
    const Address at = filler.take(size);
    if (at == 0 || (chunk_word(at) & kMapped) != 0) return;
    const struct mallinfo2 after = ::mallinfo2();
    if (after.keepcost != before.keepcost || after.arena != before.arena) return;
    before = after;
  }
}

/// Whether the heap grows in one piece: its end is the process's break.
bool in_one_piece(Address end) {
  return end - 2 * kHeader + ::mallinfo2().keepcost == reinterpret_cast<Address>(::sbrk(0));
}

Address rest_to(Address boundary, Address at) { return ((at + boundary - 1) & ~(boundary - 1)) - at; }

/// Whether what malloc keeps before a block is what glibc keeps there, for a few sizes.
bool has_known_layout() {
  for (const std::size_t size : {std::size_t{24}, std::size_t{1000}, std::size_t{5000}}) {
    const auto at = reinterpret_cast<Address>(std::malloc(size));
    const std::size_t expected = (size + kHeader + kAlignment - 1) & ~(kAlignment - 1);
    const std::size_t found = chunk_word(at) & ~kFlags;
    std::free(reinterpret_cast<void*>(at));  // NOLINT(performance-no-int-to-ptr): what malloc gave
    // A rest that is too small for a chunk of its own is given with it.
    if (found != expected && found != expected + kAlignment) return false;
  }
  return true;
}

/// The file that the loader finds a name in.
const char* file_of(const char* name) {
  Dl_info found{};
  void* const at = ::dlsym(RTLD_DEFAULT, name);
  return at != nullptr && ::dladdr(at, &found) != 0 ? found.dli_fname : "";
}

const char* find_other_allocator() {
  // Not malloc: a program that is linked to one address, as some Pythons are, has an entry of that name itself. Whoever
  // brings a malloc brings this too.
  const char* const file = file_of("memalign");
  // Of another file's blocks not even the word before them may be read.
  if (std::strcmp(file, file_of("gnu_get_libc_version")) == 0 && has_known_layout()) return nullptr;
  const char* const slash = std::strrchr(file, '/');
  return slash == nullptr ? file : slash + 1;
}

/// Uses up the piece that the heap allocates from, so that the next block gets a new one.
void use_up(Filler& filler) {
  for (int part = 0; part < kParts; ++part) {
    const std::size_t top = ::mallinfo2().keepcost;
    if (top < 2 * kLeast) return;
    filler.take(std::min(kPart, (top - kLeast) & ~(kAlignment - 1)) - kHeader);
  }
}

/// Between two mappings, and below the first one as far as Valgrind maps for a program.
void close_gaps_below(Address floor) {
  constexpr Address kFirst = Address{64} << 20U;
  Address at = kFirst;
  const auto close = [&at](Address end) {
    constexpr int kHow = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (at >= end) return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr,bugprone-unused-return-value): where nothing is; a gap may stay
    static_cast<void>(::mmap(reinterpret_cast<void*>(at), end - at, PROT_NONE, kHow, -1, 0));
  };
  std::string_view maps = read_maps();
  for (Mapping mapping; take_mapping(maps, mapping) && mapping.begin < floor;) {
    close(std::min<Address>(mapping.begin, floor));
    at = std::max<Address>(at, mapping.end);
  }
  close(floor);
}

}  // namespace

const char* other_allocator() {
  static const char* const name = find_other_allocator();
  return name;
}

void fill_malloc() {
  if (other_allocator() != nullptr) return;
  ::malloc_trim(0);  // merges the small free chunks that lie side by side, so that none is in a row with another
  Filler filler{allocate_of_c};
  // No hole is larger than all of them. Trying larger sizes would make some: under Valgrind the heap has 8 MiB to grow
  // in one piece (torch takes 67), and after that each block that its end cannot hold gets a piece of its own.
  const struct mallinfo2 heap = ::mallinfo2();
  const std::size_t largest = std::min(kLargestHole, heap.fordblks - heap.keepcost);
  // Larger holes first: a hole of at least the last size is gone, so one block of the next size is all it can take.
  for (std::size_t size = largest; size > kExact; size -= size / 8) fill_large_holes_of(filler, size);
  // The thread cache keeps seven chunks of a size, which may lie in a row.
  Address last = 0;
  for (std::size_t size = kExact - kHeader; size > kAlignment; size -= kAlignment) {
    last = fill_holes_of(filler, size, 9);
  }
  if (last == 0) return;
  if (!in_one_piece(end_of(last))) return use_up(filler);
  for (int part = 0; last != 0 && part < kParts; ++part) {
    const Address left = rest_to(kHeapBoundary, end_of(last));
    if (left == 0) break;
    // Never a chunk too small to be one, nor one large enough for a mapping of its own.
    const std::size_t chunk = left > 2 * kPart ? kPart : left > kPart ? (left / 2) & ~(kAlignment - 1) : left;
    last = filler.take(chunk - kHeader);
  }
  ::malloc_trim(0);
}

void fill_pools(void* (*allocate)(std::size_t), std::size_t pool) {
  Filler filler{allocate};
  // Free pools of older arenas first: a fresh arena shows by a run of blocks of its length.
  const std::size_t arena = 64 * pool;
  Address start = 0;
  Address last = 0;
  while (last - start < arena + arena / 2) {
    const Address at = filler.take(kLargestBlock);
    if (at == 0) return;
    const bool follows = at > last && at <= last + pool + kLargestBlock;
    if (!follows && last - start > arena - 2 * pool) break;
    if (!follows) start = at;
    last = at;
  }
  // Then the pools in use: a class takes a fresh one, block after block, when it has no other.
  for (std::size_t size = kAlignment; size <= kLargestBlock; size += kAlignment) {
    const std::size_t blocks = (pool - kPoolHeader) / size;
    last = 0;
    for (std::size_t followed = 1; followed < blocks;) {
      const Address at = filler.take(size);
      if (at == 0) return;
      followed = at == last + size ? followed + 1 : 1;
      last = at;
    }
    // One in use: an empty pool would be given back and taken again with each block.
    const Address fresh = filler.take(size);
    if (fresh == 0) return;
    g_fresh[size / kAlignment - 1] = fresh;
  }
}

void bring_fresh_pools_to_front(void* (*allocate)(std::size_t), std::size_t pool) {
  Filler filler{allocate};
  for (std::size_t size = kAlignment; size <= kLargestBlock; size += kAlignment) {
    const Address fresh = g_fresh[size / kAlignment - 1];
    for (Address at = 0; fresh != 0 && at / pool != fresh / pool;) {
      at = filler.take(size);
      if (at == 0) return;
    }
  }
}

void align_mappings() {
  const auto map = [](std::size_t size) {
    return ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  for (int gap = 0; gap < kGaps; ++gap) {
    void* const piece = map(kPiece);
    if (piece == MAP_FAILED) return;
    const Address left = rest_to(kMappingBoundary, reinterpret_cast<Address>(piece));
    if (left == 0) {
      ::munmap(piece, kPiece);
      return;
    }
    if (left > kPiece) map(left - kPiece);
  }
}

void settle_loader() {
  // Each call uses the list that the one before did not.
  for (int list = 0; list < 2; ++list) {
    void* const library = ::dlopen("libanl.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return;
    ::dlclose(library);
  }
}

void ask_c_library() {
  ::tzset();
  const passwd* const user = ::getpwuid(::getuid());
  ::getgrgid(::getgid());
  const iconv_t conversion = ::iconv_open("UTF-16LE", "UTF-8");
  if (conversion != reinterpret_cast<iconv_t>(-1)) ::iconv_close(conversion);  // NOLINT(performance-no-int-to-ptr)
  constexpr std::size_t kInPlace = 15;
  if (::getenv(kUser) != nullptr) return;
  std::array<char, kInPlace + 1> name{};
  if (user != nullptr) {
    std::strncpy(name.data(), user->pw_name, kInPlace);
  } else {
    std::snprintf(name.data(), name.size(), "uid%u", ::getuid());
  }
  ::setenv(kUser, name.data(), 0);
  g_named_user = true;
}

void forget_user() {
  if (g_named_user) ::unsetenv(kUser);
}

void leave_memory_below(Address floor) {
  if (other_allocator() == nullptr) {
    fill_malloc();
    Filler filler{allocate_of_c};
    use_up(filler);
    // With no break left to move, malloc maps its next piece.
    for (std::intptr_t step = kPiece; step >= static_cast<std::intptr_t>(kAlignment); step /= 2) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): how sbrk() fails
      while (::sbrk(step) != reinterpret_cast<void*>(-1)) continue;
    }
  }
  close_gaps_below(floor);
}

void fill_pools_above(void* (*allocate)(std::size_t), Address floor) {
  Filler filler{allocate};
  for (std::size_t size = kLargestBlock; size >= kAlignment; size -= kAlignment) {
    Address at = 0;
    do at = filler.take(size);
    while (at != 0 && at < floor);
    if (at == 0) return;
    // The second: an empty pool would be given back and taken again with each block.
    g_fresh[size / kAlignment - 1] = filler.take(size);
  }
}

}  // namespace tally::host
