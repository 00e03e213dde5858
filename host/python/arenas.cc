#include "arenas.h"

#include <dlfcn.h>

#include <cstddef>

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

}  // namespace tally::host
