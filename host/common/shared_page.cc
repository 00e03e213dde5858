#include "shared_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace tally::host {

namespace {

SharedPage* g_page = nullptr;

SharedPage* map_at(void* address, int flags) {
  void* page = ::mmap(address, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | flags, -1, 0);
  if (page == MAP_FAILED) ::_exit(125);
  return static_cast<SharedPage*>(page);
}

}  // namespace

SharedPage& shared_page() {
  if (g_page == nullptr) g_page = map_at(nullptr, 0);
  return *g_page;
}

void renew_shared_page() { map_at(&shared_page(), MAP_FIXED); }

}  // namespace tally::host
