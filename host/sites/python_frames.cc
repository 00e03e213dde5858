#include "python_frames.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "recorder.h"

namespace tally::host::sites {
namespace {

// Of CPython's C API, 3.9 to 3.13: objects are only handed on.
struct PyObject;
struct PyMemAllocatorEx {
  void* ctx;
  void* (*malloc)(void* ctx, std::size_t size);
  void* (*calloc)(void* ctx, std::size_t n, std::size_t size);
  void* (*realloc)(void* ctx, void* old, std::size_t size);
  void (*free)(void* ctx, void* place);
};
constexpr int kDomains[] = {1,
                            2};  // PYMEM_DOMAIN_MEM and _OBJ; _RAW is the C library's, and may be asked by any thread

struct Api {
  void (*get_allocator)(int domain, PyMemAllocatorEx* allocator);
  void (*set_allocator)(int domain, PyMemAllocatorEx* allocator);
  int (*holds_lock)();
  PyObject* (*frame)();
  PyObject* (*code)(PyObject* frame);
  int (*line)(PyObject* frame);
  PyObject* (*attribute)(PyObject* object, const char* name);
  const char* (*utf8)(PyObject* text, std::ptrdiff_t* length);
  void (*release)(PyObject* object);
  void (*fetch)(PyObject** type, PyObject** value, PyObject** traceback);
  void (*restore)(PyObject* type, PyObject* value, PyObject* traceback);
  int (*disable_gc)();  ///< 3.10 on.
  int (*enable_gc)();
};
Api g_api{};
bool g_hooked = false;
PyMemAllocatorEx g_real[2];

struct Frame {
  PyObject* code;
  int line;
  char text[600];
};
constexpr std::uint32_t kMostFrames = 8192;
Frame g_frames[kMostFrames];  // in .bss: costs nothing where nothing is Python
std::uint32_t g_frame_count = 0;

template <typename Function>
bool look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

void* noted_malloc(void* ctx, std::size_t size) {
  note(Domain::python, size);
  const auto* real = static_cast<const PyMemAllocatorEx*>(ctx);
  return real->malloc(real->ctx, size);
}
void* noted_calloc(void* ctx, std::size_t n, std::size_t size) {
  note(Domain::python, n * size);
  const auto* real = static_cast<const PyMemAllocatorEx*>(ctx);
  return real->calloc(real->ctx, n, size);
}
void* noted_realloc(void* ctx, void* old, std::size_t size) {
  note(Domain::python, size);
  const auto* real = static_cast<const PyMemAllocatorEx*>(ctx);
  return real->realloc(real->ctx, old, size);
}
void passed_free(void* ctx, void* place) {
  const auto* real = static_cast<const PyMemAllocatorEx*>(ctx);
  real->free(real->ctx, place);
}

void text_of(PyObject* code, const char* attribute, char* to, std::size_t size) {
  PyObject* text = g_api.attribute(code, attribute);
  const char* utf8 = text == nullptr ? nullptr : g_api.utf8(text, nullptr);
  std::snprintf(to, size, "%s", utf8 == nullptr ? "" : utf8);
  if (text != nullptr) g_api.release(text);
}

/// Keeps the code object: another at its address would have its name.
std::uint32_t number_of(PyObject* code, int line) {
  for (std::uint32_t i = 0; i < g_frame_count; ++i) {
    if (g_frames[i].code == code && g_frames[i].line == line) {
      g_api.release(code);
      return i + 1;
    }
  }
  if (g_frame_count == kMostFrames) {
    g_api.release(code);
    return 0;
  }
  Frame& frame = g_frames[g_frame_count];
  frame.code = code;
  frame.line = line;
  char name[200];
  char file[360];
  text_of(code, "co_qualname", name, sizeof name);
  if (name[0] == 0) text_of(code, "co_name", name, sizeof name);
  text_of(code, "co_filename", file, sizeof file);
  std::snprintf(frame.text, sizeof frame.text, "%d\t%s\t%s", line, name, file);
  return ++g_frame_count;
}

}  // namespace

void hook_python() {
  g_hooked = false;
  if (!look_up(g_api.get_allocator, "PyMem_GetAllocator")) return;
  if (!look_up(g_api.set_allocator, "PyMem_SetAllocator") || !look_up(g_api.holds_lock, "PyGILState_Check") ||
      !look_up(g_api.frame, "PyEval_GetFrame") || !look_up(g_api.code, "PyFrame_GetCode") ||
      !look_up(g_api.line, "PyFrame_GetLineNumber") || !look_up(g_api.attribute, "PyObject_GetAttrString") ||
      !look_up(g_api.utf8, "PyUnicode_AsUTF8AndSize") || !look_up(g_api.release, "Py_DecRef") ||
      !look_up(g_api.fetch, "PyErr_Fetch") || !look_up(g_api.restore, "PyErr_Restore"))
    return;
  look_up(g_api.disable_gc, "PyGC_Disable");
  look_up(g_api.enable_gc, "PyGC_Enable");
  for (int i = 0; i < 2; ++i) {
    g_api.get_allocator(kDomains[i], &g_real[i]);
    PyMemAllocatorEx noted{&g_real[i], noted_malloc, noted_calloc, noted_realloc, passed_free};
    g_api.set_allocator(kDomains[i], &noted);
  }
  g_hooked = true;
}

void unhook_python() {
  if (!g_hooked) return;
  for (int i = 0; i < 2; ++i) g_api.set_allocator(kDomains[i], &g_real[i]);
  g_hooked = false;
}

std::uint32_t running_frame() {
  if (!g_hooked || g_api.holds_lock() == 0) return 0;
  // Making a frame object may start a collection, which must not run in the middle of an allocation.
  const bool collects = g_api.disable_gc != nullptr && g_api.disable_gc() != 0;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  g_api.fetch(&type, &value, &traceback);
  std::uint32_t number = 0;
  if (PyObject* frame = g_api.frame()) number = number_of(g_api.code(frame), g_api.line(frame));
  g_api.restore(type, value, traceback);
  if (collects) g_api.enable_gc();
  return number;
}

const char* frame_text(std::uint32_t number) { return number == 0 ? nullptr : g_frames[number - 1].text; }

}  // namespace tally::host::sites
