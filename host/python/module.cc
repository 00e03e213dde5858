/// The Python host's native half: the fork server, and the iterator that a measured loop runs over.
///
/// Limited API only, so that one binary serves every CPython from 3.9 on. What needs no C (compiling a statement,
/// describing an exception) is in tally_host.py.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "arenas.h"
#include "callgrind.h"
#include "entropy.h"
#include "fork_server.h"
#include "other_threads.h"
#include "phase.h"
#include "pinned_stack.h"
#ifdef TALLY_HOSTS_PROGRAMS
#include "program.h"
#endif
#include "protocol/descriptors.h"
#include "regions.h"
#include "rehearsal.h"
#include "start.h"

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

struct CaseRun {
  PyObject* function;   ///< tally_host.run_case, borrowed
  PyObject* arguments;  ///< owned
  Regions* engine;
  PyObject* hooks[2];  ///< before_region and sync: callables or null, borrowed from the hooks dict
  PyObject* device;    ///< Returns the device that the case works on, or null; owned
  PyObject* observe;   ///< What watches it over a region, or null; owned
};

/// Ends the case with the exception's own words: a wait is where a device reports what has failed on it.
[[noreturn]] void fail_with_exception(Regions& engine, Stage stage, const char* what) {
  char message[1024];
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* name = type == nullptr ? nullptr : PyObject_GetAttrString(type, "__name__");
  PyObject* text = value == nullptr ? nullptr : PyObject_Str(value);
  PyObject* parts[2] = {name, text};
  const char* words[2] = {"", ""};
  for (int i = 0; i < 2; ++i) {
    PyObject* bytes = parts[i] == nullptr ? nullptr : PyUnicode_AsEncodedString(parts[i], "utf-8", "backslashreplace");
    if (bytes != nullptr) words[i] = PyBytes_AsString(bytes);
  }
  PyErr_Clear();
  std::snprintf(message, sizeof message, "%s raised %s: %.*s", what, words[0],
                static_cast<int>(std::strcspn(words[1], "\n")), words[1]);
  PyErr_Restore(type, value, traceback);
  PyErr_Print();
  engine.fail(stage, message, "its traceback is in the output");
  ::_exit(1);
}

void call_hook(CaseRun* run, int which) {
  PyObject* result = PyObject_CallObject(run->hooks[which], nullptr);
  if (result == nullptr) fail_with_exception(*run->engine, Stage::region, which == 0 ? "before_region" : "sync");
  Py_DECREF(result);
}

/// The device's name lives as long as the case.
const char* ask_for_device(CaseRun* run) {
  PyObject* name = PyObject_CallObject(run->device, nullptr);
  if (name == Py_None) return nullptr;
  PyObject* text = name == nullptr ? nullptr : PyUnicode_AsUTF8String(name);
  if (text != nullptr) return PyBytes_AsString(text);
  fail_with_exception(*run->engine, Stage::warm_up, "the toolchain's device()");
}

double observe_device(CaseRun* run, int what) {
  PyObject* result = PyObject_CallFunction(run->observe, "i", what);
  const double seconds = result == nullptr || result == Py_None ? 0 : PyFloat_AsDouble(result);
  if (result == nullptr || PyErr_Occurred() != nullptr)
    fail_with_exception(*run->engine, Stage::region, "the toolchain's device_observer");
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
  hooks.settle = tally::host::settle_pools();
  hooks.let_others_run = tally::host::let_others_run;
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
  static char buffer[60 * 1024];
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

PyObject* under_valgrind(PyObject* /*module*/, PyObject* /*args*/) {
  return PyBool_FromLong(tally::host::callgrind::running() ? 1 : 0);
}

PyObject* start_instrumentation(PyObject* /*module*/, PyObject* /*args*/) {
  tally::host::callgrind::start_instrumentation();
  return PyBool_FromLong(tally::host::callgrind::running() ? 1 : 0);
}

PyMethodDef g_methods[] = {
    {"serve", serve, METH_VARARGS, "Serve cases until the runner leaves."},
    {"under_valgrind", under_valgrind, METH_NOARGS, "Whether this process runs there."},
    {"rehearse", rehearse, METH_VARARGS, "Run a case in this process, before it serves. Whether it went well."},
    {"set_hooks", set_hooks, METH_VARARGS, "What to call before a region and at its end; None for nothing."},
    {"set_device", set_device, METH_VARARGS,
     "Sets what returns the device that a case works on, and what waits for it."},
    {"result", result, METH_VARARGS, "What an execution left, and why not all of it can be shown."},
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
  tally::host::trace_allocators();
  g_phase_type = PyType_FromSpec(&g_phase_spec);
  PyObject* module = g_phase_type == nullptr ? nullptr : PyModule_Create(&g_module);
  if (module == nullptr || tally::host::add_start_parts(module) != 0 ||
      PyModule_AddIntConstant(module, "PART_STRIDE", tally::protocol::kPartStride) != 0) {
    return nullptr;
  }
#ifdef TALLY_HOSTS_PROGRAMS
  if (tally::host::add_program_parts(module) != 0) return nullptr;
#endif
  return module;
}
