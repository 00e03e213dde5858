#include "written_memory.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "fresh_heap.h"
#include "huge_pages.h"
#include "memory_map.h"
#include "threads.h"

namespace tally::host {

namespace {

using Address = std::uintptr_t;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMaxAreas = 2048;

struct Area {
  Address begin = 0;
  Address end = 0;
  bool writable = false;
};

/// Static: what is read here must not move the heap that is about to be copied. (And of one size: a host whose
/// variables take more pages has its heap elsewhere, and 34 of the standard suite's 181 counts were others.)
struct Areas {
  Area all[kMaxAreas];
  std::size_t count = 0;

  void add(Area area) {
    if (area.begin < area.end && count < kMaxAreas) all[count++] = area;
  }
  void remove(Address begin) {
    for (std::size_t i = 0; i < count; ++i) {
      if (all[i].begin == begin) all[i] = all[--count];
    }
  }
  [[nodiscard]] bool contain(const Area& area) const {
    return std::any_of(all, all + count, [&](const Area& one) {
      return one.begin == area.begin && one.end == area.end && one.writable == area.writable;
    });
  }
};
Areas g_written;  ///< By the loader or by a library itself, whose variables are the writable ones.
Areas g_shared;

Address floor_to_page(Address address) { return address & ~(kPage - 1); }

int add_parts(dl_phdr_info* library, std::size_t /*size*/, void* /*data*/) {
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    const Address begin = library->dlpi_addr + part.p_vaddr;
    const Address end = begin + part.p_memsz;
    if (part.p_type == PT_GNU_RELRO) g_written.add({floor_to_page(begin), floor_to_page(end), false});
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
      g_written.add({floor_to_page(begin), floor_to_page(end + kPage - 1), true});
    }
  }
  return 0;
}

Address address_of(void* at) { return reinterpret_cast<Address>(at); }

void* pointer(Address address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel reports this process's memory as numbers
  return reinterpret_cast<void*>(address);
}

bool is_zero(Address page) {
  static constexpr char kZeros[kPage] = {};
  return std::memcmp(pointer(page), kZeros, kPage) == 0;
}

void map_zeros(Address begin, Address end) {
  constexpr int kPlace = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  // The kernel may have unmapped what was there: no process is left to continue.
  if (::mmap(pointer(begin), end - begin, PROT_READ | PROT_WRITE, kPlace, -1, 0) != pointer(begin)) std::abort();
}

/// What a library has as variables there. Not the large rest that nobody has used, at its end: it may yet get huge
/// pages of its own, and is mapped anew, since looking at it made an entry for each page, which every fork would copy.
void add_variables(const Area& mapping, const Area& variables) {
  Area area{std::max(mapping.begin, variables.begin), std::min(mapping.end, variables.end), true};
  Address used = area.end;
  while (used > area.begin && is_zero(used - kPage)) used -= kPage;
  if (area.begin < area.end && area.end - used >= kHugePage) {
    map_zeros(used, area.end);
    area.end = used;
  }
  g_shared.add(area);
}

void add_shared(const Mapping& mapping) {
  const Area area{mapping.begin, mapping.end, mapping.allows("rw-p")};
  const bool wanted = area.writable ? mapping.is_heap : mapping.allows("r--p") && g_written.contain(area);
  if (wanted) g_shared.add(area);
  if (wanted || !area.writable) return;
  for (std::size_t i = 0; i < g_written.count; ++i) {
    if (g_written.all[i].writable) add_variables(area, g_written.all[i]);
  }
}

void find_shared() {
  ::dl_iterate_phdr(add_parts, nullptr);
  Mapping mapping;
  for (std::string_view maps = read_maps(); take_mapping(maps, mapping);) add_shared(mapping);
}

/// Pages of zeros stay holes in the file: most of a heap's end was never touched.
bool copy(const Area& area, int file, off_t offset) {
  for (Address from = area.begin; from < area.end;) {
    Address to = from;
    while (to < area.end && !is_zero(to)) to += kPage;
    while (from < to) {
      const off_t at = offset + static_cast<off_t>(from - area.begin);
      const ssize_t n = ::pwrite(file, pointer(from), to - from, at);
      if (n <= 0) return false;
      from += static_cast<Address>(n);
    }
    from += kPage;
  }
  return true;
}

/// Between the copy and this nothing may be written there that is not written again: neither allocates, and an address
/// that the loader fills in for one of the two calls is looked up once more.
void map(const Area& area, int file, off_t offset) {
  void* at = pointer(area.begin);
  const int protection = area.writable ? PROT_READ | PROT_WRITE : PROT_READ;
  // The kernel may have unmapped what was there: no process is left to continue.
  if (::mmap(at, area.end - area.begin, protection, MAP_PRIVATE | MAP_FIXED, file, offset) != at) std::abort();
}

}  // namespace

void share_too(void* at, std::size_t size) { g_shared.add({address_of(at), address_of(at) + size, true}); }

void do_not_share(void* at) { g_shared.remove(address_of(at)); }

void share_written_memory() {
  if (count_threads() != 1 || other_allocator() != nullptr) return;
  find_shared();
  std::size_t size = 0;
  for (std::size_t i = 0; i < g_shared.count; ++i) size += g_shared.all[i].end - g_shared.all[i].begin;
  const int file = ::memfd_create("heap", MFD_CLOEXEC);
  bool good = file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) == 0;
  off_t offset = 0;
  for (std::size_t i = 0; good && i < g_shared.count; ++i) {
    const Area& area = g_shared.all[i];
    good = copy(area, file, offset);
    if (good) map(area, file, offset);
    offset += static_cast<off_t>(area.end - area.begin);
  }
  ::close(file);
}

}  // namespace tally::host
