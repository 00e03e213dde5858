/// The most memory that a region holds at once: a library that is preloaded into one native host, whose children
/// neither time nor count.
///
/// It stands before the C library's allocator and keeps the size, as requested, of every block that was allocated since
/// the region began and is not freed yet; what was there before is no part of it. It takes the place of the recorder of
/// allocation sites: host/common/allocations.cc notifies it of a region's ends by the same function. At the second it
/// writes "peak BYTES" to $TALLY_HEAP_PEAK/PID, and "lost BLOCKS" where there were more blocks at once than its table
/// has places. The table is mapped when the library is loaded: it never allocates.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "protocol/dump_names.h"

extern "C" {
// glibc's own, under the names that stay when malloc is replaced.
void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t n, std::size_t size);            // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);               // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void* block);                                   // NOLINT(bugprone-reserved-identifier)
}

namespace tally::host::heap_peak {
namespace {

constexpr unsigned kPlaceBits = 20;
constexpr std::size_t kPlaces = std::size_t{1} << kPlaceBits;

struct Block {
  std::uintptr_t address = 0;  ///< 0: none.
  std::size_t size = 0;
};

Block* g_blocks = nullptr;  // open addressing, without gaps between a block and its home
std::size_t g_block_count = 0;
std::uint64_t g_lost = 0;
std::uint64_t g_held = 0;
std::uint64_t g_peak = 0;
std::atomic<bool> g_recording{false};
std::atomic_flag g_busy = ATOMIC_FLAG_INIT;

class Lock {
 public:
  Lock() {
    while (g_busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { g_busy.clear(std::memory_order_release); }
};

std::size_t home_of(std::uintptr_t address) { return (address * 0x9e3779b97f4a7c15U) >> (64 - kPlaceBits); }
std::size_t after(std::size_t place) { return (place + 1) % kPlaces; }

std::size_t place_of(std::uintptr_t address) {
  std::size_t place = home_of(address);
  while (g_blocks[place].address != 0 && g_blocks[place].address != address) place = after(place);
  return place;
}

/// Closes the gap, so that every other block is still found from its home.
void remove(std::size_t gap) {
  for (std::size_t place = after(gap); g_blocks[place].address != 0; place = after(place)) {
    const std::size_t home = home_of(g_blocks[place].address);
    if ((place - home) % kPlaces < (place - gap) % kPlaces) continue;
    g_blocks[gap] = g_blocks[place];
    gap = place;
  }
  g_blocks[gap] = {};
  --g_block_count;
}

void took(void* block, std::size_t size) {
  if (block == nullptr || !g_recording.load(std::memory_order_relaxed)) return;
  const Lock lock;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  Block& place = g_blocks[place_of(address)];
  // One that is known has been given back by a way that is not seen.
  if (place.address != 0) g_held -= place.size;
  if (place.address == 0 && g_block_count == kPlaces * 3 / 4) {
    ++g_lost;
    return;
  }
  if (place.address == 0) ++g_block_count;
  place = {address, size};
  g_held += size;
  g_peak = std::max(g_peak, g_held);
}

/// Its size; 0 where it is none of the region's.
std::size_t gave_back(void* block) {
  if (block == nullptr || !g_recording.load(std::memory_order_relaxed)) return 0;
  const Lock lock;
  const std::size_t place = place_of(reinterpret_cast<std::uintptr_t>(block));
  if (g_blocks[place].address == 0) return 0;
  const std::size_t size = g_blocks[place].size;
  g_held -= size;
  remove(place);
  return size;
}

void write_peak() {
  const char* folder = std::getenv("TALLY_HEAP_PEAK");
  if (folder == nullptr) return;
  const auto path =
      tally::protocol::observed_path(folder, static_cast<std::uint64_t>(::getpid()), tally::protocol::kHeapPeakEnding);
  char text[64];
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  int length = std::snprintf(text, sizeof text, "peak %llu\n", static_cast<unsigned long long>(g_peak));
  if (g_lost > 0)
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "lost %llu\n",
                            static_cast<unsigned long long>(g_lost));
  if (::write(file, text, static_cast<std::size_t>(length)) != length) ::ftruncate(file, 0);
  ::close(file);
}

/// Of a region before, where one process runs several.
void clear() {
  if (g_block_count > 0) std::memset(static_cast<void*>(g_blocks), 0, kPlaces * sizeof(Block));
  g_block_count = 0;
  g_lost = g_held = g_peak = 0;
}

__attribute__((constructor)) void prepare() {
  void* place = ::mmap(nullptr, kPlaces * sizeof(Block), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) g_blocks = static_cast<Block*>(place);
}

}  // namespace
}  // namespace tally::host::heap_peak

using tally::host::heap_peak::gave_back;
using tally::host::heap_peak::took;

extern "C" {

/// Null: a region starts. Else it has ended, and its count and bytes would go there.
__attribute__((visibility("default"))) void tally_allocation_watch(std::uint64_t* totals) {
  using namespace tally::host::heap_peak;
  if (g_blocks == nullptr) return;
  g_recording = false;
  if (totals != nullptr) return write_peak();
  clear();
  g_recording = true;
}

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  void* block = __libc_malloc(size);
  took(block, size);
  return block;
}
__attribute__((visibility("default"))) void* calloc(std::size_t n, std::size_t size) {
  void* block = __libc_calloc(n, size);
  took(block, n * size);
  return block;
}
__attribute__((visibility("default"))) void* realloc(void* old, std::size_t size) {
  const std::size_t before = gave_back(old);
  void* block = __libc_realloc(old, size);
  if (block == nullptr && size > 0 && before > 0) took(old, before);
  took(block, size);
  return block;
}
__attribute__((visibility("default"))) void* memalign(std::size_t alignment, std::size_t size) {
  void* block = __libc_memalign(alignment, size);
  took(block, size);
  return block;
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}
__attribute__((visibility("default"))) void free(void* block) {
  gave_back(block);
  __libc_free(block);
}
}
