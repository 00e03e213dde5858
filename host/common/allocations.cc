#include "allocations.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

/// Of the library that watches a region's allocations (host/sites, host/heap_peak), where one is preloaded: called at a
/// region's start with null, and at its end with where its totals go. Kept small: the Python host's code is laid down
/// in its place.
extern "C" void tally_allocation_watch(std::uint64_t* totals) __attribute__((weak));

namespace tally::host::allocations {

namespace {

std::atomic<bool> g_counting{false};
std::atomic<std::uint64_t> g_count{0};
std::atomic<std::uint64_t> g_bytes{0};

void note(std::size_t size) {
  if (!g_counting.load(std::memory_order_relaxed)) return;
  g_count.fetch_add(1, std::memory_order_relaxed);
  g_bytes.fetch_add(size, std::memory_order_relaxed);
}

void* counted_malloc(std::size_t size) {
  note(size);
  return ::malloc(size);
}
void* counted_calloc(std::size_t n, std::size_t size) {
  note(n * size);
  return ::calloc(n, size);
}
void* counted_realloc(void* old, std::size_t size) {
  note(size);
  return ::realloc(old, size);
}
void* counted_memalign(std::size_t alignment, std::size_t size) {
  note(size);
  return ::memalign(alignment, size);
}
void* counted_aligned_alloc(std::size_t alignment, std::size_t size) {
  note(size);
  return ::aligned_alloc(alignment, size);
}
int counted_posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  note(size);
  return ::posix_memalign(result, alignment, size);
}

struct Wrapper {
  const char* name;
  void* function;
};
const Wrapper kWrappers[] = {
    {"malloc", reinterpret_cast<void*>(counted_malloc)},
    {"calloc", reinterpret_cast<void*>(counted_calloc)},
    {"realloc", reinterpret_cast<void*>(counted_realloc)},
    {"memalign", reinterpret_cast<void*>(counted_memalign)},
    {"aligned_alloc", reinterpret_cast<void*>(counted_aligned_alloc)},
    {"posix_memalign", reinterpret_cast<void*>(counted_posix_memalign)},
};

// NOLINTBEGIN(performance-no-int-to-ptr): the loader's structures hold addresses as numbers

/// The dynamic section of one object, as far as it is needed here.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * rela = nullptr;
  std::size_t rela_size = 0;
  const ElfW(Rela) * plt = nullptr;
  std::size_t plt_size = 0;
};

Dynamic read_dynamic(const ElfW(Dyn) * entry) {
  Dynamic d;
  for (; entry->d_tag != DT_NULL; ++entry) {
    // The loader has relocated these addresses already (glibc does so for every object but the vDSO).
    switch (entry->d_tag) {
      case DT_SYMTAB:
        d.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        d.strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        break;
      case DT_RELA:
        d.rela = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        d.rela_size = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        d.plt = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        d.plt_size = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return d;
}

/// A relocation that leads to the allocator, and what it is to lead to.
struct Slot {
  void** place;
  void* function;
};

/// A loaded object, by its address.
struct Object {
  ElfW(Addr) base;
  bool present;
  std::vector<Slot> slots;
};
std::vector<Object> g_objects;  // all that were ever seen

void redirect(const Slot& slot) {
  const auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(slot.place) & ~(page_size - 1);
  if (::mprotect(reinterpret_cast<void*>(page), page_size, PROT_READ | PROT_WRITE) == 0) *slot.place = slot.function;
}

void find_slots(const Dynamic& d, Object& object, const ElfW(Rela) * relocations, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Rela)& relocation = relocations[i];
    const auto type = ELF64_R_TYPE(relocation.r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
    const char* name = d.strings + d.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
    for (const Wrapper& wrapper : kWrappers) {
      if (std::strcmp(name, wrapper.name) == 0)
        object.slots.push_back({reinterpret_cast<void**>(object.base + relocation.r_offset), wrapper.function});
    }
  }
}

/// Finds an object's slots, once.
int visit(dl_phdr_info* info, std::size_t /*size*/, void* own) {
  const auto* self = static_cast<const dl_phdr_info*>(own);
  if (const auto known = std::ranges::find(g_objects, info->dlpi_addr, &Object::base); known != g_objects.end()) {
    known->present = true;
    return 0;
  }
  Object& object = g_objects.emplace_back(info->dlpi_addr, true);
  if (info->dlpi_addr == self->dlpi_addr || std::strstr(info->dlpi_name, "linux-vdso") != nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const Dynamic d = read_dynamic(reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    if (d.symbols == nullptr || d.strings == nullptr) continue;
    find_slots(d, object, d.rela, d.rela_size);
    find_slots(d, object, d.plt, d.plt_size);
  }
  return 0;
}

// NOLINTEND(performance-no-int-to-ptr)

/// Finds the object that holds this code: it must keep calling the real allocator.
int find_own(dl_phdr_info* info, std::size_t /*size*/, void* result) {
  const auto own_code = reinterpret_cast<ElfW(Addr)>(&find_own);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const ElfW(Addr) start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && own_code >= start && own_code < start + segment.p_memsz) {
      *static_cast<dl_phdr_info*>(result) = *info;
      return 1;
    }
  }
  return 0;
}

}  // namespace

void prepare() {
  for (Object& object : g_objects) object.present = false;  // until it is seen again
  dl_phdr_info own{};
  ::dl_iterate_phdr(find_own, &own);
  ::dl_iterate_phdr(visit, &own);
}

void install() {
  if (tally_allocation_watch != nullptr) return tally_allocation_watch(nullptr);
  prepare();
  for (const Object& object : g_objects) {
    if (object.present) std::ranges::for_each(object.slots, redirect);
  }
}

void start() {
  g_count = 0;
  g_bytes = 0;
  g_counting = true;
}

Totals stop() {
  g_counting = false;
  Totals totals{g_count, g_bytes};
  if (tally_allocation_watch != nullptr) tally_allocation_watch(&totals.count);
  return totals;
}

}  // namespace tally::host::allocations
