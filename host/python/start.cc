#include "start.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <cstdlib>
#include <iterator>
#include <utility>

#include "arenas.h"
#include "callgrind.h"
#include "fresh_heap.h"
#include "late_variables.h"
#include "protocol/allocation_trace.h"
#include "protocol/late_variables.h"

namespace tally::host {

namespace {

/// The size of one of this CPython's pools; 0 until the host has filled them, before which nothing is settled.
std::size_t g_pool = 0;

void settle(void* /*context*/, bool again) {
  if (again) {
    bring_fresh_pools_to_front(PyObject_Malloc, g_pool);
  } else {
    fill_pools(PyObject_Malloc, g_pool);
  }
}

/// seal(pool, stage): `pool` is the size of one of this CPython's pools. What the interpreter allocates from here on is
/// as if nothing had been allocated before; under Valgrind, at addresses that only the stage decides.
PyObject* seal(PyObject* /*module*/, PyObject* args) {
  Py_ssize_t pool = 0;
  Py_ssize_t stage = 0;
  if (PyArg_ParseTuple(args, "nn", &pool, &stage) == 0) return nullptr;
  g_pool = static_cast<std::size_t>(pool);
  if (!callgrind::running()) {
    fill_pools(PyObject_Malloc, g_pool);
    fill_malloc();
    Py_RETURN_NONE;
  }
  const std::uintptr_t floor = floor_of_stage(static_cast<StartStage>(stage));
  leave_memory_below(floor);
  if (stage == static_cast<Py_ssize_t>(StartStage::surroundings)) settle_loader();
  fill_pools_above(PyObject_Malloc, floor);
  fence_pools_below(floor, g_pool);
  VALGRIND_DO_CLIENT_REQUEST_STMT(kBeginStage, floor, 0, 0, 0, 0);
  Py_RETURN_NONE;
}

/// Where shutil was imported while something stood in the place of os.stat(), it has not found that in the list of what
/// takes descriptors of folders, as it does on every Linux, and would remove folders in another way.
void correct_shutil() {
  PyObject* const shutil = PyDict_GetItemString(PySys_GetObject("modules"), "shutil");
  if (shutil == nullptr) return;
  PyObject* const yes = PyBool_FromLong(1);
  PyObject* const remove = PyObject_GetAttrString(shutil, "rmtree");
  if (remove != nullptr) PyObject_SetAttrString(remove, "avoids_symlink_attacks", yes);
  PyObject_SetAttrString(shutil, "_use_fd_functions", yes);
  Py_XDECREF(remove);
  Py_DECREF(yes);
  PyErr_Clear();
}

/// forget_user(): USER is gone from the C library's variables, if ask_c_library() had set it. And nobody keeps what was
/// found out of the stand-ins.
PyObject* forget_named_user(PyObject* /*module*/, PyObject* /*args*/) {
  forget_user();
  correct_shutil();
  Py_RETURN_NONE;
}

/// list_whole_folders(): the counter keeps nothing from the lists of folders any more (protocol/first_modules.h).
PyObject* list_whole_folders(PyObject* /*module*/, PyObject* /*args*/) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(kBeginStage, 0, 0, 0, 0, 0);
  Py_RETURN_NONE;
}

/// take_blocks(n): n blocks of the largest size that lies in arenas, kept.
PyObject* take_blocks(PyObject* /*module*/, PyObject* args) {
  int left = 0;
  if (PyArg_ParseTuple(args, "i", &left) == 0) return nullptr;
  for (; left > 0; --left) {
    void* at = PyObject_Malloc(512);
    asm volatile("" : "+r"(at));
  }
  Py_RETURN_NONE;
}

/// use_blocks(n): n blocks of the largest size that lies in arenas, given back: the table of arenas stays as large.
PyObject* use_blocks(PyObject* /*module*/, PyObject* args) {
  int left = 0;
  if (PyArg_ParseTuple(args, "i", &left) == 0) return nullptr;
  struct Block {
    Block* next;
  };
  Block* last = nullptr;
  for (; left > 0; --left) {
    auto* const block = static_cast<Block*>(PyObject_Malloc(512));
    if (block == nullptr) break;
    block->next = last;
    last = block;
  }
  while (last != nullptr) PyObject_Free(std::exchange(last, last->next));
  Py_RETURN_NONE;
}

/// Fills the table of interned strings until it has just grown to hold more than any host's start needs.
PyObject* fill_interned(PyObject* /*module*/, PyObject* /*args*/) {
  constexpr int kLeast = 30000;
  constexpr int kMost = 200000;
  constexpr std::size_t kGrowth = 100000;  // bytes by which such a table grows, and hardly anything else
  for (int n = 0; n < kMost; ++n) {
    PyObject* string = PyUnicode_FromFormat("tally %d", n);
    const struct mallinfo2 before = ::mallinfo2();
    PyUnicode_InternInPlace(&string);  // kept
    const struct mallinfo2 after = ::mallinfo2();
    if (n >= kLeast && after.uordblks + after.hblkhd > before.uordblks + before.hblkhd + kGrowth) break;
  }
  Py_RETURN_NONE;
}

/// The number that the last type was given to know its attributes by. Empties the cache of attributes.
PyObject* type_tag(PyObject* /*module*/, PyObject* /*args*/) { return PyLong_FromUnsignedLong(PyType_ClearCache()); }

/// ask_c_library(): what it reads of its surroundings once, it has read: who users are, the time zone, conversions.
PyObject* ask_library(PyObject* /*module*/, PyObject* /*args*/) {
  ask_c_library();
  Py_RETURN_NONE;
}

/// renew_environment(name): the C library's list of variables moves to the memory of this stage, for a variable `name`.
/// What it leaves in an older one is kept: the next block of that size would lie there otherwise. Variables were set.
PyObject* renew_environment(PyObject* /*module*/, PyObject* args) {
  const char* name = nullptr;
  if (PyArg_ParseTuple(args, "s", &name) == 0) return nullptr;
  const std::size_t size = ::malloc_usable_size(static_cast<void*>(environ));
  ::setenv(name, "", 1);
  void* hole = std::malloc(size);
  asm volatile("" : "+r"(hole));
  Py_RETURN_NONE;
}

double seconds(const timespec& time) {
  constexpr double kNanosecond = 1e-9;
  return static_cast<double>(time.tv_sec) + kNanosecond * static_cast<double>(time.tv_nsec);
}

/// path_stat(path): st_mode, st_size and st_mtime of os.stat().
PyObject* path_stat(PyObject* /*module*/, PyObject* path) {
  static PyStructSequence_Field fields[] = {
      {"st_mode", nullptr}, {"st_size", nullptr}, {"st_mtime", nullptr}, {nullptr, nullptr}};
  static PyStructSequence_Desc description = {"_tally_host.path_stat", nullptr, fields, 3};
  static PyTypeObject* const type = PyStructSequence_NewType(&description);
  PyObject* name = nullptr;
  struct stat about{};
  if (type == nullptr || PyUnicode_FSConverter(path, static_cast<void*>(&name)) == 0) return nullptr;
  const int result = ::stat(PyBytes_AsString(name), &about);
  Py_DECREF(name);
  if (result != 0) return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
  PyObject* found = PyStructSequence_New(type);
  if (found == nullptr) return nullptr;
  PyStructSequence_SetItem(found, 0, PyLong_FromUnsignedLong(about.st_mode));
  PyStructSequence_SetItem(found, 1, PyLong_FromLongLong(about.st_size));
  PyStructSequence_SetItem(found, 2, PyFloat_FromDouble(seconds(about.st_mtim)));
  return found;
}

/// The number of a user or a group: kept, since CPython keeps 0 alone, which is root's, and makes an object of any
/// other each time.
PyObject* number_of_owner(unsigned long number) {
  struct Known {
    unsigned long number;
    PyObject* object;
  };
  static Known known[64];
  for (Known& one : known) {
    if (one.object == nullptr) one = {number, PyLong_FromUnsignedLong(number)};
    if (one.number != number) continue;
    Py_XINCREF(one.object);
    return one.object;
  }
  return PyLong_FromUnsignedLong(number);
}

/// stat(os.stat_result, path, follows): as os.stat() or os.lstat(), but the owner makes no difference to how many
/// objects are made. None where these would raise an exception.
PyObject* stat_of_any_owner(PyObject* /*module*/, PyObject* args) {
  PyObject* type = nullptr;
  PyObject* path = nullptr;
  int follows = 0;
  if (PyArg_ParseTuple(args, "OOp", &type, &path, &follows) == 0) return nullptr;
  PyObject* name = nullptr;
  struct stat about{};
  if (PyUnicode_FSConverter(path, static_cast<void*>(&name)) == 0) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const int result = (follows != 0 ? ::stat : ::lstat)(PyBytes_AsString(name), &about);
  Py_DECREF(name);
  if (result != 0) Py_RETURN_NONE;
  PyObject* found = PyStructSequence_New(reinterpret_cast<PyTypeObject*>(type));
  if (found == nullptr) return nullptr;
  Py_ssize_t place = 0;
  const auto add = [&](PyObject* item) { PyStructSequence_SetItem(found, place++, item); };
  add(PyLong_FromUnsignedLong(about.st_mode));
  add(PyLong_FromUnsignedLong(about.st_ino));
  add(PyLong_FromUnsignedLong(about.st_dev));
  add(PyLong_FromUnsignedLong(about.st_nlink));
  add(number_of_owner(about.st_uid));
  add(number_of_owner(about.st_gid));
  add(PyLong_FromLongLong(about.st_size));
  const timespec times[] = {about.st_atim, about.st_mtim, about.st_ctim};
  for (const timespec& time : times) add(PyLong_FromLongLong(time.tv_sec));
  for (const timespec& time : times) add(PyFloat_FromDouble(seconds(time)));
  constexpr long long kNanoseconds = 1'000'000'000;
  for (const timespec& time : times) add(PyLong_FromLongLong(time.tv_sec * kNanoseconds + time.tv_nsec));
  add(PyLong_FromLongLong(about.st_blksize));
  add(PyLong_FromLongLong(about.st_blocks));
  add(PyLong_FromUnsignedLong(about.st_rdev));
  return found;
}

/// set_flag(flags, place, value): of sys.flags.
PyObject* set_flag(PyObject* /*module*/, PyObject* args) {
  PyObject* flags = nullptr;
  Py_ssize_t place = 0;
  long value = 0;
  if (PyArg_ParseTuple(args, "Onl", &flags, &place, &value) == 0) return nullptr;
  PyStructSequence_SetItem(flags, place, PyLong_FromLong(value));
  Py_RETURN_NONE;
}

/// A late variable in os.environ: bytes of the room's size, of which the object has as many as it needs.
struct LateVariable {
  PyObject* name;
  PyObject* value;
};
LateVariable g_late[std::size(protocol::kLateVariables)];
PyObject* g_variables = nullptr;

void set_in_environ(std::size_t which, std::string_view value, bool is_set) {
  const auto& [name, room] = g_late[which];
  if (!is_set) {
    PyDict_DelItem(g_variables, name);  // both objects are ours, too: nothing is freed
    return;
  }
  char* const bytes = PyBytes_AsString(room);
  value.copy(bytes, value.size());
  bytes[value.size()] = 0;
  Py_SET_SIZE(reinterpret_cast<PyVarObject*>(room), static_cast<Py_ssize_t>(value.size()));
}

/// make_room_for_late_variables(data): in the C library's environment, and in `data`, the dictionary behind os.environ.
PyObject* reserve_variables(PyObject* /*module*/, PyObject* data) {
  Py_INCREF(data);
  g_variables = data;
  for (std::size_t i = 0; i < std::size(g_late); ++i) {
    LateVariable& one = g_late[i];
    one.name = PyBytes_FromString(protocol::kLateVariables[i]);
    one.value = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(protocol::kLateRoom));
    if (one.name == nullptr || one.value == nullptr || PyDict_SetItem(data, one.name, one.value) != 0) return nullptr;
  }
  reserve_late_variables(set_in_environ);
  Py_RETURN_NONE;
}

/// CPython's PyMemAllocatorEx, which the limited API leaves out.
struct ObjectAllocator {
  void* context;
  void* (*allocate)(void* context, std::size_t size);
  void* (*allocate_zeroes)(void* context, std::size_t count, std::size_t size);
  void* (*reallocate)(void* context, void* at, std::size_t size);
  void (*release)(void* context, void* at);
};
ObjectAllocator g_objects;

/// They do what CPython's own do, each at an address that the trace of allocations can be given: a CPython that was
/// compiled with its own profile has most calls of its allocator inlined.
constexpr ObjectAllocator kTracedObjects = {
    nullptr,
    [](void*, std::size_t size) { return g_objects.allocate(g_objects.context, size); },
    [](void*, std::size_t count, std::size_t size) {
      return g_objects.allocate_zeroes(g_objects.context, count, size);
    },
    [](void*, void* at, std::size_t size) { return g_objects.reallocate(g_objects.context, at, size); },
    [](void*, void* at) { g_objects.release(g_objects.context, at); },
};

/// Whether a trace is written.
template <class Function>
bool name_allocator(Allocation which, Function* function) {
  return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, kTraceFunction, which, function, 0, 0, 0) != 0;
}

PyMethodDef g_start_methods[] = {
    {"seal", seal, METH_VARARGS, "Allocate from fresh memory from here on."},
    {"list_whole_folders", list_whole_folders, METH_NOARGS, "Let folders of modules be listed as they are."},
    {"take_blocks", take_blocks, METH_VARARGS, "Take blocks of arenas, and keep them."},
    {"use_blocks", use_blocks, METH_VARARGS, "Take blocks of arenas, and give them back."},
    {"fill_interned", fill_interned, METH_NOARGS, "Let the table of interned strings grow beyond any need."},
    {"type_tag", type_tag, METH_NOARGS, "The last tag of a type."},
    {"ask_c_library", ask_library, METH_NOARGS, "Let the C library read what it reads once."},
    {"forget_user", forget_named_user, METH_NOARGS, "The variable USER is as it was."},
    {"renew_environment", renew_environment, METH_VARARGS, "The list of variables lies in fresh memory."},
    {"path_stat", path_stat, METH_O, "What an import needs of os.stat()."},
    {"stat", stat_of_any_owner, METH_VARARGS, "os.stat() or os.lstat(), with numbers of owners that are kept."},
    {"set_flag", set_flag, METH_VARARGS, "Change an item of sys.flags."},
    {"make_room_for_late_variables", reserve_variables, METH_O, "For what the runner says once an image is made."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_start_parts(PyObject* module) { return PyModule_AddFunctions(module, g_start_methods); }

void trace_allocators() {
  constexpr int kMemory = 1;   // PYMEM_DOMAIN_MEM
  constexpr int kObjects = 2;  // PYMEM_DOMAIN_OBJ
  using Access = void (*)(int, ObjectAllocator*);
  const auto get = reinterpret_cast<Access>(::dlsym(RTLD_DEFAULT, "PyMem_GetAllocator"));
  const auto set = reinterpret_cast<Access>(::dlsym(RTLD_DEFAULT, "PyMem_SetAllocator"));
  if (get == nullptr || set == nullptr) return;
  if (!name_allocator(Allocation::object_malloc, kTracedObjects.allocate)) return;
  name_allocator(Allocation::object_calloc, kTracedObjects.allocate_zeroes);
  name_allocator(Allocation::object_realloc, kTracedObjects.reallocate);
  name_allocator(Allocation::object_free, kTracedObjects.release);
  ObjectAllocator traced = kTracedObjects;
  ObjectAllocator memory{};
  get(kObjects, &g_objects);
  get(kMemory, &memory);
  set(kObjects, &traced);
  if (memory.allocate == g_objects.allocate && memory.context == g_objects.context) set(kMemory, &traced);
}

SettlePools settle_pools() { return g_pool == 0 ? nullptr : settle; }

}  // namespace tally::host
