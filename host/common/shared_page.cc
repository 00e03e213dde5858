#include "shared_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace tally::host {

namespace {

SharedPage* g_page = nullptr;
std::uint32_t* g_stages = nullptr;
int g_place = 0;

void* map_at(void* address, std::size_t size, int flags) {
  void* page = ::mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | flags, -1, 0);
  if (page == MAP_FAILED) ::_exit(125);
  return page;
}

std::uint32_t& stage_at(int place) {
  if (g_stages == nullptr) g_stages = static_cast<std::uint32_t*>(map_at(nullptr, kMaxChildren * sizeof *g_stages, 0));
  return g_stages[place];
}

}  // namespace

SharedPage& shared_page() {
  if (g_page == nullptr) g_page = static_cast<SharedPage*>(map_at(nullptr, sizeof(SharedPage), 0));
  return *g_page;
}

void renew_shared_page() { map_at(&shared_page(), sizeof(SharedPage), MAP_FIXED); }

protocol::Stage stage_of_child(int place) { return static_cast<protocol::Stage>(stage_at(place)); }

void take_stage_place(int place) {
  g_place = place;
  enter_stage(protocol::Stage::host);
}

void enter_stage(protocol::Stage stage) { stage_at(g_place) = static_cast<std::uint32_t>(stage); }

protocol::Stage current_stage() { return stage_of_child(g_place); }

}  // namespace tally::host
