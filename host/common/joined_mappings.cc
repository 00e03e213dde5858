#include "joined_mappings.h"

#include <sys/mman.h>

#include <string_view>

#include "memory_map.h"

namespace tally::host {

namespace {

void join(const Mapping& all, bool has_code) {
  // A kernel that does not allow it leaves them as they are.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel reports this process's memory as numbers
  if (has_code) ::mprotect(reinterpret_cast<void*>(all.begin), all.end - all.begin, PROT_READ | PROT_EXEC);
}

}  // namespace

void join_mappings_of_libraries() {
  Mapping all;
  Mapping next;
  bool has_code = false;
  for (std::string_view maps = read_maps(); take_mapping(maps, next);) {
    const bool is_code = next.allows("r-xp");
    if (next.inode == 0 || !(is_code || next.allows("r--p"))) {
      next.inode = 0;  // not to be joined
    } else if (next.inode == all.inode && next.begin == all.end && next.offset == all.offset + (all.end - all.begin)) {
      all.end = next.end;
      has_code = has_code || is_code;
      continue;
    }
    join(all, has_code);
    all = next;
    has_code = is_code && next.inode != 0;
  }
  join(all, has_code);
}

}  // namespace tally::host
