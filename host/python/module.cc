/// The Python host's native half: the fork server, and the iterator that a measured loop runs over.
///
/// Limited API only, so that one binary serves every CPython from 3.9 on. What needs no C (compiling a statement,
/// describing an exception) is in tally_host.py.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "arenas.h"
#include "callgrind.h"
#include "entropy.h"
#include "fork_server.h"
#include "fresh_heap.h"
#include "phase.h"
#include "pinned_stack.h"
#ifdef TALLY_HOSTS_PROGRAMS
#include "program.h"
#endif
#include "protocol/allocation_trace.h"
#include "protocol/descriptors.h"
#include "regions.h"
#include "rehearsal.h"

namespace {

using tally::host::Channel;
using tally::host::PhaseIterator;
using tally::host::Regions;
using tally::protocol::Field;
using tally::protocol::Message;
using tally::protocol::Phase;
using tally::protocol::Stage;

PyObject* phase_next(PyObject* object) {
  auto* self = reinterpret_cast<PhaseIterator*>(object);
#ifdef TALLY_HOSTS_PROGRAMS
  if (self->items != nullptr && self->left > 0) return tally::host::next_item(self);
#endif
  if (self->left > 0) {
    --self->left;
    Py_RETURN_NONE;
  }
  if (!self->begun) {
    self->begun = true;
    self->engine->begin(self->phase);
  }
#ifdef TALLY_HOSTS_PROGRAMS
  if (self->prepare != nullptr) return tally::host::first_item(self);
#endif
  const std::uint64_t n = self->engine->next();
  if (n == 0) return nullptr;
  self->left = n - 1;
  Py_RETURN_NONE;
}

PyObject* phase_iter(PyObject* object) {
  Py_INCREF(object);
  return object;
}

PyType_Slot g_phase_slots[] = {
    {Py_tp_iter, reinterpret_cast<void*>(phase_iter)},
    {Py_tp_iternext, reinterpret_cast<void*>(phase_next)},
    {0, nullptr},
};
PyType_Spec g_phase_spec = {"_tally_host.Phase", sizeof(PhaseIterator), 0, Py_TPFLAGS_DEFAULT, g_phase_slots};
PyObject* g_phase_type = nullptr;

PyObject* new_phase(Regions* engine, Phase phase) {
  auto* self = PyObject_New(PhaseIterator, reinterpret_cast<PyTypeObject*>(g_phase_type));
  if (self == nullptr) return nullptr;
  self->engine = engine;
  self->left = 0;
  self->phase = phase;
  self->begun = false;
#ifdef TALLY_HOSTS_PROGRAMS
  self->prepare = nullptr;
  self->items = nullptr;
#endif
  return reinterpret_cast<PyObject*>(self);
}

/// Ten times inlined, it would have no room (host/CMakeLists.txt).
__attribute__((noinline)) PyObject* texts(const Message& request, Field field) {
  const std::size_t count = request.count(field);
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  for (std::size_t i = 0; list != nullptr && i < count; ++i) {
    const std::string_view text = *request.nth(field, i);
    PyObject* item = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    if (item == nullptr) return nullptr;
    PyList_SetItem(list, static_cast<Py_ssize_t>(i), item);
  }
  return list;
}

/// The size of one of this CPython's pools; 0 until the host has filled them, before which nothing is settled.
std::size_t g_pool = 0;

void settle_pools(void* /*context*/, bool again) {
  if (again) {
    tally::host::bring_fresh_pools_to_front(PyObject_Malloc, g_pool);
  } else {
    tally::host::fill_pools(PyObject_Malloc, g_pool);
  }
}

struct CaseRun {
  PyObject* function;   ///< tally_host.run_case, borrowed
  PyObject* arguments;  ///< owned
  Regions* engine;
  PyObject* hooks[2];  ///< before_region and sync: callables or null, borrowed from the hooks dict
  PyObject* device;    ///< What tells the device that the case works on, or null; owned
  PyObject* observe;   ///< What watches it over a region, or null; owned
};

void call_hook(CaseRun* run, int which) {
  PyObject* result = PyObject_CallObject(run->hooks[which], nullptr);
  if (result == nullptr) {
    PyErr_Print();
    run->engine->fail(Stage::region, which == 0 ? "before_region raised" : "sync raised",
                      "its traceback is in the output");
    ::_exit(1);
  }
  Py_DECREF(result);
}

/// The device's name lives as long as the case.
const char* ask_for_device(CaseRun* run) {
  PyObject* name = PyObject_CallObject(run->device, nullptr);
  if (name == Py_None) return nullptr;
  PyObject* text = name == nullptr ? nullptr : PyUnicode_AsUTF8String(name);
  if (text != nullptr) return PyBytes_AsString(text);
  PyErr_Print();
  run->engine->fail(Stage::warm_up, "the toolchain's device() raised, or gave no text",
                    "its traceback is in the output");
  ::_exit(1);
}

double observe_device(CaseRun* run, int what) {
  PyObject* result = PyObject_CallFunction(run->observe, "i", what);
  const double seconds = result == nullptr || result == Py_None ? 0 : PyFloat_AsDouble(result);
  if (result == nullptr || PyErr_Occurred() != nullptr) {
    PyErr_Print();
    run->engine->fail(Stage::region, "the toolchain's device_observer raised", "its traceback is in the output");
    ::_exit(1);
  }
  Py_DECREF(result);
  return seconds;
}

/// (message, detail) as tally_host.describe() makes it.
void report_failure(Regions& engine, PyObject* pair) {
  std::string_view parts[2] = {"unknown failure", ""};
  for (Py_ssize_t i = 0; i < 2; ++i) {
    PyObject* text = PyTuple_GetItem(pair, i);
    PyObject* utf8 = text == nullptr ? nullptr : PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (utf8 != nullptr) parts[i] = {PyBytes_AsString(utf8), static_cast<std::size_t>(PyBytes_Size(utf8))};
  }
  engine.fail(engine.stage(), parts[0], parts[1]);
}

void enter_case(void* argument) {
  auto* run = static_cast<CaseRun*>(argument);
  PyObject* result = PyObject_CallObject(run->function, run->arguments);
  if (result == nullptr) {
    PyErr_Print();
    run->engine->fail(Stage::host, "the host's own Python code raised", "its traceback is in the output");
  } else if (result != Py_None) {
    report_failure(*run->engine, result);
  } else if (!run->engine->ended_properly()) {
    run->engine->fail(run->engine->stage(), "the case returned before its statement was measured",
                      "a return in the setup, or a statement that leaves the measured loop with return or break");
  }
}

/// set_hooks(before_region, sync): called by run_case once it has compiled them.
CaseRun* g_run = nullptr;

PyObject* set_hooks(PyObject* /*module*/, PyObject* args) {
  PyObject* before = nullptr;
  PyObject* sync = nullptr;
  if (PyArg_ParseTuple(args, "OO", &before, &sync) == 0) return nullptr;
  tally::host::RegionHooks hooks;
  hooks.context = g_run;
  if (g_pool != 0) hooks.settle = settle_pools;
  Py_INCREF(before);
  Py_INCREF(sync);
  g_run->hooks[0] = before;
  g_run->hooks[1] = sync;
  if (before != Py_None) hooks.before_region = [](void* run) { call_hook(static_cast<CaseRun*>(run), 0); };
  if (sync != Py_None) hooks.sync = [](void* run) { call_hook(static_cast<CaseRun*>(run), 1); };
  g_run->engine->set_hooks(hooks);
  Py_RETURN_NONE;
}

/// set_device(ask, sync): called after set_hooks() where the machine may have a device. What `ask` has as its attribute
/// `observe` watches the device over a region.
PyObject* set_device(PyObject* /*module*/, PyObject* args) {
  PyObject* sync = nullptr;
  if (PyArg_ParseTuple(args, "OO", &g_run->device, &sync) == 0) return nullptr;
  Py_INCREF(g_run->device);
  Py_INCREF(sync);
  g_run->hooks[1] = sync;
  tally::host::RegionHooks hooks = g_run->engine->hooks();
  hooks.sync = [](void* run) { call_hook(static_cast<CaseRun*>(run), 1); };
  hooks.device = [](void* run) { return ask_for_device(static_cast<CaseRun*>(run)); };
  if (PyObject_HasAttrString(g_run->device, "observe") == 1) {
    g_run->observe = PyObject_GetAttrString(g_run->device, "observe");
    hooks.observe = [](void* run, int what) { return observe_device(static_cast<CaseRun*>(run), what); };
  }
  g_run->engine->set_hooks(hooks);
  Py_RETURN_NONE;
}

void run_case(void* context, Channel channel, const Message& request) {
  Regions engine(channel, request.job(), request.number(Field::warm_up));
  if (const auto padding = request.number(Field::heap_padding); padding > 0) {
    std::memset(std::malloc(padding), 1, padding);  // kept on purpose: it moves whatever setup allocates
  }
  const std::size_t stack_padding = request.number(Field::stack_padding);
  CaseRun run{static_cast<PyObject*>(context), nullptr, &engine, {nullptr, nullptr}, nullptr, nullptr};
  g_run = &run;
  run.arguments = Py_BuildValue("(NNNNNNNNNN)", texts(request, Field::prepare), texts(request, Field::load),
                                texts(request, Field::setup_part), texts(request, Field::stmt_part),
                                texts(request, Field::before_region), texts(request, Field::sync),
                                texts(request, Field::examiner), texts(request, Field::result_name),
                                new_phase(&engine, Phase::baseline), new_phase(&engine, Phase::statement));
  if (run.arguments == nullptr) {
    PyErr_Print();
    engine.fail(Stage::host, "cannot unpack the request", {});
    return;
  }
#ifdef TALLY_HOSTS_PROGRAMS
  tally::host::begin_program_case(&engine, request);
#endif
  tally::host::call_on_pinned_stack(enter_case, &run, stack_padding);
  PyObject* flush = PySys_GetObject("stdout");  // borrowed; prints of setup are the user's evidence after a failure
  if (flush != nullptr) Py_XDECREF(PyObject_CallMethod(flush, "flush", nullptr));
}

PyObject* serve(PyObject* /*module*/, PyObject* args) {
  PyObject* function = nullptr;
  const char* version = nullptr;
  if (PyArg_ParseTuple(args, "Os", &function, &version) == 0) return nullptr;
  const int code = tally::host::serve({"python", version}, run_case, function);
  return PyLong_FromLong(code);
}

/// rehearse(function, text, counted): a case with this setup, in this process; whether it went well.
PyObject* rehearse(PyObject* /*module*/, PyObject* args) {
  PyObject* function = nullptr;
  const char* text = nullptr;
  int counted = 0;
  if (PyArg_ParseTuple(args, "Osp", &function, &text, &counted) == 0) return nullptr;
  static char buffer[64 * 1024];
  tally::protocol::Writer request(buffer, tally::protocol::MessageType::run_case, 0);
  request
      .text(Field::prepare, "None")  // as the seed is run
      .text(Field::setup_part, text)
      .text(Field::stmt_part, "None")
      .text(Field::before_region, "__builtins__.str.__dict__.get('')")  // what any hook goes through
      .number(Field::warm_up, 2);
  return PyBool_FromLong(tally::host::rehearse(run_case, function, request, counted != 0) ? 1 : 0);
}

/// result(text, refusal): what an examined statement left.
PyObject* result(PyObject* /*module*/, PyObject* args) {
  const char* parts[2] = {};
  Py_ssize_t sizes[2] = {};
  if (PyArg_ParseTuple(args, "s#s#", &parts[0], &sizes[0], &parts[1], &sizes[1]) == 0) return nullptr;
  g_run->engine->report_result({parts[0], static_cast<std::size_t>(sizes[0])},
                               {parts[1], static_cast<std::size_t>(sizes[1])});
  Py_RETURN_NONE;
}

/// seal(pool, stage): `pool` is the size of one of this CPython's pools. What the interpreter allocates from here on is
/// as if nothing had been allocated before; under Valgrind, at addresses that only the stage decides.
PyObject* seal(PyObject* /*module*/, PyObject* args) {
  Py_ssize_t pool = 0;
  Py_ssize_t stage = 0;
  if (PyArg_ParseTuple(args, "nn", &pool, &stage) == 0) return nullptr;
  g_pool = static_cast<std::size_t>(pool);
  if (!tally::host::callgrind::running()) {
    tally::host::fill_pools(PyObject_Malloc, g_pool);
    tally::host::fill_malloc();
    Py_RETURN_NONE;
  }
  const std::uintptr_t floor = tally::host::floor_of_stage(static_cast<unsigned>(stage));
  tally::host::leave_memory_below(floor);
  tally::host::fill_pools_above(PyObject_Malloc, floor);
  tally::host::fence_pools_below(floor, g_pool);
  VALGRIND_DO_CLIENT_REQUEST_STMT(tally::host::kBeginStage, floor, 0, 0, 0, 0);
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
PyObject* ask_c_library(PyObject* /*module*/, PyObject* /*args*/) {
  tally::host::ask_c_library();
  Py_RETURN_NONE;
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
  constexpr double kNanosecond = 1e-9;
  const double time =
      static_cast<double>(about.st_mtim.tv_sec) + kNanosecond * static_cast<double>(about.st_mtim.tv_nsec);
  PyStructSequence_SetItem(found, 0, PyLong_FromUnsignedLong(about.st_mode));
  PyStructSequence_SetItem(found, 1, PyLong_FromLongLong(about.st_size));
  PyStructSequence_SetItem(found, 2, PyFloat_FromDouble(time));
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

/// CPython's PyMemAllocatorEx, which the limited API leaves out.
struct ObjectAllocator {
  void* context;
  void* functions[4];  ///< Allocate, allocate zeroes, reallocate, free.
};

/// Tells the counter, which may write down what is allocated, where CPython's functions for it begin.
void name_allocators() {
  constexpr int kObjects = 2;  // PYMEM_DOMAIN_OBJ
  using Access = void (*)(int, ObjectAllocator*);
  const auto get = reinterpret_cast<Access>(::dlsym(RTLD_DEFAULT, "PyMem_GetAllocator"));
  if (get == nullptr) return;
  ObjectAllocator objects{};
  get(kObjects, &objects);
  const auto name = [](tally::host::Allocation which, const void* function) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(tally::host::kTraceFunction, which, function, 0, 0, 0);
  };
  name(tally::host::Allocation::object_malloc, objects.functions[0]);
  name(tally::host::Allocation::object_calloc, objects.functions[1]);
  name(tally::host::Allocation::object_realloc, objects.functions[2]);
  name(tally::host::Allocation::object_free, objects.functions[3]);
}

PyObject* under_valgrind(PyObject* /*module*/, PyObject* /*args*/) {
  return PyBool_FromLong(tally::host::callgrind::running() ? 1 : 0);
}

PyObject* start_instrumentation(PyObject* /*module*/, PyObject* /*args*/) {
  tally::host::callgrind::start_instrumentation();
  return PyBool_FromLong(tally::host::callgrind::running() ? 1 : 0);
}

PyMethodDef g_methods[] = {
    {"serve", serve, METH_VARARGS, "Serve cases until the runner leaves."},
    {"seal", seal, METH_VARARGS, "Allocate from fresh memory from here on."},
    {"under_valgrind", under_valgrind, METH_NOARGS, "Whether this process runs there."},
    {"take_blocks", take_blocks, METH_VARARGS, "Take blocks of arenas, and keep them."},
    {"use_blocks", use_blocks, METH_VARARGS, "Take blocks of arenas, and give them back."},
    {"fill_interned", fill_interned, METH_NOARGS, "Let the table of interned strings grow beyond any need."},
    {"type_tag", type_tag, METH_NOARGS, "The last tag of a type."},
    {"ask_c_library", ask_c_library, METH_NOARGS, "Let the C library read what it reads once."},
    {"path_stat", path_stat, METH_O, "What an import needs of os.stat()."},
    {"set_flag", set_flag, METH_VARARGS, "Change an item of sys.flags."},
    {"rehearse", rehearse, METH_VARARGS, "Run a case in this process, before it serves. Whether it went well."},
    {"set_hooks", set_hooks, METH_VARARGS, "What to call before a region and at its end; None for nothing."},
    {"set_device", set_device, METH_VARARGS, "What tells the device that a case works on, and what waits for it."},
    {"result", result, METH_VARARGS, "What an execution left, and why not all of it can be told."},
    {"start_instrumentation", start_instrumentation, METH_NOARGS,
     "Count from here on, under Callgrind. Whether that is so."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef g_module = {
    PyModuleDef_HEAD_INIT, "_tally_host", nullptr, -1, g_methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

#ifdef TALLY_HOSTS_PROGRAMS
void tally::host::run_python_case(void* context, Channel channel, const Message& request) {
  run_case(context, channel, request);
}
#endif

PyMODINIT_FUNC PyInit__tally_host(void) {  // NOLINT(bugprone-reserved-identifier): CPython asks for this name
  tally::host::entropy::prepare();
  if (!tally::host::callgrind::running()) tally::host::share_arenas();
  name_allocators();
  g_phase_type = PyType_FromSpec(&g_phase_spec);
  PyObject* module = g_phase_type == nullptr ? nullptr : PyModule_Create(&g_module);
  if (module == nullptr || PyModule_AddIntConstant(module, "PART_STRIDE", tally::protocol::kPartStride) != 0 ||
      PyModule_AddIntConstant(module, "LATE_ENVIRONMENT", tally::protocol::kLateEnvironment) != 0) {
    return nullptr;
  }
#ifdef TALLY_HOSTS_PROGRAMS
  if (tally::host::add_program_parts(module) != 0) return nullptr;
#endif
  return module;
}
