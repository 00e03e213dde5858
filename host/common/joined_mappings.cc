#include "joined_mappings.h"

#include <link.h>
#include <sys/mman.h>

#include <cstdint>

namespace tally::host {

namespace {

using Address = std::uintptr_t;
constexpr Address kPage = 4096;

int join(dl_phdr_info* library, std::size_t /*size*/, void* /*data*/) {
  Address begin = 0;
  Address end = 0;
  bool has_code = false;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const Address from = (library->dlpi_addr + part.p_vaddr) & ~(kPage - 1);
    if (end != 0 && from != end) return 0;
    if (end == 0) begin = from;
    end = (library->dlpi_addr + part.p_vaddr + part.p_memsz + kPage - 1) & ~(kPage - 1);
    has_code = has_code || (part.p_flags & PF_X) != 0;
  }
  // A kernel that does not allow it leaves them as they are.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells of a library's place in numbers
  if (has_code) ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_EXEC);
  return 0;
}

}  // namespace

void join_mappings_of_libraries() { ::dl_iterate_phdr(join, nullptr); }

}  // namespace tally::host
