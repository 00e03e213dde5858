#include "shared_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace tally::host {

namespace {

SharedPage* g_page = nullptr;

struct ChildPlace {
  std::uint16_t stage;
  std::uint16_t cut_off;
};
ChildPlace* g_places = nullptr;
int g_place = 0;

void* map_at(void* address, std::size_t size, int flags) {
  void* page = ::mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | flags, -1, 0);
  if (page == MAP_FAILED) ::_exit(125);
  return page;
}

ChildPlace& place_at(int place) {
  if (g_places == nullptr) g_places = static_cast<ChildPlace*>(map_at(nullptr, kMaxChildren * sizeof *g_places, 0));
  return g_places[place];
}

}  // namespace

SharedPage& shared_page() {
  if (g_page == nullptr) g_page = static_cast<SharedPage*>(map_at(nullptr, sizeof(SharedPage), 0));
  return *g_page;
}

void renew_shared_page() { map_at(&shared_page(), sizeof(SharedPage), MAP_FIXED); }

void add_watched(protocol::Writer& message) {
  const CaseWatch& watch = shared_page().watch;
  if (watch.changed_file[0] != 0) message.text(protocol::Field::changed_file, watch.changed_file);
  if (watch.requested != 0) message.number(protocol::Field::requested, watch.requested);
}

protocol::Stage stage_of_child(int place) { return static_cast<protocol::Stage>(place_at(place).stage); }

bool child_was_cut_off(int place) { return place_at(place).cut_off != 0; }

void take_place(int place) {
  g_place = place;
  place_at(place) = {static_cast<std::uint16_t>(protocol::Stage::host), 0};
}

void enter_stage(protocol::Stage stage) { place_at(g_place).stage = static_cast<std::uint16_t>(stage); }

void note_cut_off() { place_at(g_place).cut_off = 1; }

protocol::Stage current_stage() { return stage_of_child(g_place); }

}  // namespace tally::host
