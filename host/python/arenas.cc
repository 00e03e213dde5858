#include "arenas.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "memory_map.h"
#include "written_memory.h"

namespace tally::host {

namespace {

/// CPython's PyObjectArenaAllocator, which the limited API leaves out.
struct Allocator {
  void* context;
  void* (*allocate)(void* context, std::size_t size);
  void (*release)(void* context, void* at, std::size_t size);
};
Allocator g_system;

void* allocate(void* context, std::size_t size) {
  void* const at = g_system.allocate(context, size);
  if (at != nullptr) share_too(at, size);
  return at;
}

/// CPython's pool_header, at the beginning of each pool: the same from 3.9 to 3.13.
struct Pool {
  std::uint32_t used;  ///< Blocks of it; padded to a pointer.
  std::uint32_t padding;
  void* free_block;  ///< The first one of a list.
  Pool* next;
  Pool* previous;
  std::uint32_t arena;
  std::uint32_t size_class;
  std::uint32_t next_offset;  ///< Where the next block begins that was never given.
  std::uint32_t last_offset;  ///< Where the last one begins.
};

bool is_full_pool(const Pool& pool, std::size_t size) {
  constexpr std::uint32_t kClasses = 32;
  constexpr std::uint32_t kMostArenas = 1U << 20U;
  if (pool.size_class >= kClasses || pool.arena >= kMostArenas || pool.free_block != nullptr) return false;
  const std::size_t block = (pool.size_class + 1) * std::size_t{16};
  return pool.last_offset == size - block && pool.next_offset > pool.last_offset && pool.next_offset <= size &&
         pool.used == (size - sizeof(Pool)) / block;
}

/// Whether a page has been written to. To read one that was not would make it one of the process's: a huge one of
/// zeroes, which an image would keep.
bool is_written(int pagemap, std::uintptr_t page) {
  using Entry = std::uint64_t;
  constexpr std::uintptr_t kPage = 4096;
  constexpr Entry kPresent = Entry{1} << 63U;
  constexpr Entry kExclusive = Entry{1} << 56U;
  constexpr Entry kWritten = kPresent | kExclusive;
  Entry entry = 0;
  const auto place = static_cast<off_t>(page / kPage * sizeof entry);
  return ::pread(pagemap, &entry, sizeof entry, place) == sizeof entry && (entry & kWritten) == kWritten;
}

void release(void* context, void* at, std::size_t size) {
  do_not_share(at);
  g_system.release(context, at, size);
}

}  // namespace

void share_arenas() {
  using Access = void (*)(Allocator*);
  const auto get = reinterpret_cast<Access>(::dlsym(RTLD_DEFAULT, "PyObject_GetArenaAllocator"));
  const auto set = reinterpret_cast<Access>(::dlsym(RTLD_DEFAULT, "PyObject_SetArenaAllocator"));
  if (get == nullptr || set == nullptr) return;
  get(&g_system);
  Allocator noting{g_system.context, allocate, release};
  set(&noting);
}

void fence_pools_below(std::uintptr_t floor, std::size_t size) {
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  std::string_view maps = read_maps();
  for (Mapping mapping; take_mapping(maps, mapping) && mapping.begin < floor;) {
    if (mapping.inode != 0 || !mapping.allows("rw-p")) continue;
    const std::uintptr_t end = std::min<std::uintptr_t>(mapping.end, floor);
    for (std::uintptr_t at = (mapping.begin + size - 1) & ~(size - 1); at + size <= end; at += size) {
      if (!is_written(pagemap, at)) continue;
      auto& pool = *reinterpret_cast<Pool*>(at);  // NOLINT(performance-no-int-to-ptr): mapped, whatever it holds
      if (!is_full_pool(pool, size)) continue;
      // Neither a list that begins anew nor a pool that becomes empty: CPython looks for no more than these.
      pool.free_block = reinterpret_cast<void*>(at + sizeof(Pool));  // NOLINT(performance-no-int-to-ptr)
      ++pool.used;
    }
  }
  ::close(pagemap);
}

}  // namespace tally::host
