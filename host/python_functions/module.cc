/// Which Python function instructions are of: an extension of the one counted host whose regions are profiled, never of
/// those whose counts are kept.
///
/// It is the interpreter's frame evaluation function (PEP 523) and calls the real one through a trampoline for each
/// pair of a caller and a callee, so that Callgrind's edges into a trampoline are what that callee cost on behalf of
/// that caller. What it does itself is not collected, but for a constant number of instructions in a call, which can be
/// taken off. Frames that are older than the region belong to the statement.
///
/// Limited API only; what is not in it is looked up. A frame's code: by PyFrame_GetCode (3.9, 3.10), as the fifth word
/// of the frame (3.11), by PyUnstable_InterpreterFrame_GetCode (3.12 on).
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "calls.h"
#include "protocol/collected.h"
#include "protocol/dump_names.h"
#include "trampolines.h"

namespace {

using tally::host::python_functions::Entry;
using tally::host::python_functions::Evaluator;

bool g_in_region = false;
Evaluator g_real = nullptr;
PyObject* (*g_code_of)(void* frame) = nullptr;  ///< Null: a word of it.
constexpr std::size_t kCodeWord = 4;
std::string* g_head = nullptr;
int g_regions = 0;

PyObject* code_of(void* frame) {
  if (g_code_of != nullptr) return g_code_of(frame);
  PyObject* code = static_cast<PyObject**>(frame)[kCodeWord];
  Py_IncRef(code);
  return code;
}

__attribute__((noinline)) Entry enter(void* frame) { return tally::host::python_functions::enter(code_of(frame)); }

/// Callgrind does not answer.
__attribute__((noinline)) bool is_outside() {
  return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, tally::host::kReadCollecting, 0, 0, 0, 0, 0) == 2;
}

template <typename Function>
bool look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

void add_line(const char* what, PyObject* folder) {
  PyObject* bytes = PyUnicode_Check(folder) ? PyUnicode_EncodeFSDefault(folder) : nullptr;
  const char* text = bytes == nullptr ? "" : PyBytes_AsString(bytes);
  if (text[0] != 0 && std::strchr(text, '\n') == nullptr) g_head->append(what).append(" ").append(text).append("\n");
  Py_XDECREF(bytes);
}

/// Where modules come from; after the case's setup, which may have added a folder.
void describe_folders() {
  g_head = new std::string();
  PyObject* os = PyImport_ImportModule("os");
  PyObject* file = os == nullptr ? nullptr : PyObject_GetAttrString(os, "__file__");
  PyObject* path = os == nullptr ? nullptr : PyObject_GetAttrString(os, "path");
  PyObject* folder = file == nullptr || path == nullptr ? nullptr : PyObject_CallMethod(path, "dirname", "O", file);
  if (folder != nullptr) add_line("standard", folder);
  PyObject* here = os == nullptr ? nullptr : PyObject_CallMethod(os, "getcwd", nullptr);
  PyObject* search = PySys_GetObject("path");  // borrowed
  for (Py_ssize_t i = 0; search != nullptr && PyList_Check(search) && i < PyList_Size(search); ++i) {
    PyObject* entry = PyList_GetItem(search, i);
    const bool is_empty = PyUnicode_Check(entry) && PyUnicode_GetLength(entry) == 0;  // the working folder
    if (!is_empty || here != nullptr) add_line("path", is_empty ? here : entry);
  }
  for (PyObject* object : {os, file, path, folder, here}) Py_XDECREF(object);
  PyErr_Clear();
}

/// Beside the dumps: the counter says where, also to a process that was made of an image. Callgrind does not.
tally::protocol::DumpPath table_path() {
  using tally::protocol::kPythonCallsEnding;
  tally::protocol::DumpPath path{};
  const std::size_t room = sizeof path.text - std::strlen(kPythonCallsEnding);
  if (VALGRIND_DO_CLIENT_REQUEST_EXPR(0, tally::host::kReadDumpName, path.text, room, 0, 0, 0) != 0) {
    std::strcat(path.text, kPythonCallsEnding);
    return path;
  }
  const char* const folder = std::getenv("TALLY_PYTHON_FUNCTIONS");
  return tally::protocol::observed_path(folder == nullptr ? "." : folder, static_cast<std::uint64_t>(::getpid()),
                                        kPythonCallsEnding);
}

PyObject* refuse(const char* why) {
  PyErr_SetString(PyExc_RuntimeError, why);
  return nullptr;
}

}  // namespace

extern "C" {

/// Straight, but for what is not collected: each call takes as many instructions as the next. What prepares a region,
/// or clears away after one, is called with this in place, too.
__attribute__((visibility("hidden"))) void* tally_hook(void* thread, void* frame, int throwing) {
  if (!g_in_region || is_outside()) return g_real(thread, frame, throwing);
  CALLGRIND_TOGGLE_COLLECT;
  const Entry entry = enter(frame);
  CALLGRIND_TOGGLE_COLLECT;
  void* result = tally::host::python_functions::trampoline(entry.call)(thread, frame, throwing);
  CALLGRIND_TOGGLE_COLLECT;
  tally::host::python_functions::leave(entry);
  CALLGRIND_TOGGLE_COLLECT;
  return result;
}
}

namespace {

/// install(): from here on, before the case is entered, so that the interpreter has adapted to it by the region.
PyObject* install(PyObject* /*module*/, PyObject* /*args*/) {
  Evaluator (*get)(PyInterpreterState*) = nullptr;
  void (*set)(PyInterpreterState*, Evaluator) = nullptr;
  if (!look_up(get, "_PyInterpreterState_GetEvalFrameFunc") || !look_up(set, "_PyInterpreterState_SetEvalFrameFunc"))
    return refuse("this interpreter has no frame evaluation function (PEP 523)");
  const long minor = std::strtol(Py_GetVersion() + std::strlen("3."), nullptr, 10);
  if (minor != 11 && !look_up(g_code_of, minor < 11 ? "PyFrame_GetCode" : "PyUnstable_InterpreterFrame_GetCode"))
    return refuse("this interpreter does not give the code of a frame");
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  g_real = get(interpreter);
  tally::host::python_functions::set_evaluator(g_real);
  set(interpreter, tally_hook);
  Py_RETURN_NONE;
}

/// begin(): a region is next. The first one is the empty loop's. In a host of a program that is where it is installed,
/// for such a host has no other text of the probe's; the warm-up follows.
PyObject* begin(PyObject* module, PyObject* args) {
  if (g_real == nullptr) {
    PyObject* done = install(module, args);
    if (done == nullptr) return nullptr;
    Py_DecRef(done);
  }
  if (++g_regions == 1) Py_RETURN_NONE;
  describe_folders();
  const auto path = table_path();
  if (!tally::host::python_functions::begin_table(path, g_head->data(), g_head->size()))
    return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
  g_in_region = true;
  Py_RETURN_NONE;
}

PyMethodDef g_methods[] = {
    {"install", install, METH_NOARGS, "Evaluate frames from here on."},
    {"begin", begin, METH_NOARGS, "Records what is called in the next region."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef g_module = {
    PyModuleDef_HEAD_INIT, "_tally_functions", nullptr, -1, g_methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__tally_functions(void) {  // NOLINT(bugprone-reserved-identifier): CPython asks for this name
  return PyModule_Create(&g_module);
}
