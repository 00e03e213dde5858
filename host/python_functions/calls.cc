#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "protocol/python_calls.h"

namespace tally::host::python_functions {

namespace {

using protocol::kMostPythonCalls;
using protocol::kMostPythonFunctions;
using protocol::kMostPythonText;
using protocol::PythonCall;
using protocol::PythonCallTable;

PythonCallTable* g_table = nullptr;
std::uint32_t g_region = 0;  ///< Its number: what belongs to an earlier one is void.

struct Known {
  PyObject* code = nullptr;
  std::uint32_t region = 0;
  std::uint32_t function = 0;
};
constexpr std::size_t kKnown = 8 * kMostPythonFunctions;
Known g_known[kKnown];  // by a hash of the address
std::size_t g_known_count = 0;

constexpr std::size_t kPlaces = 4 * kMostPythonCalls;
std::uint32_t g_places[kPlaces];  // by a hash of the call: one more than its number, 0 for none

struct Line {
  std::size_t at = 0;
  std::size_t length = 0;
  std::uint32_t function = 0;  ///< 0: none.
};
constexpr std::size_t kLines = 4 * kMostPythonFunctions;
Line g_lines[kLines];  // by a hash of the text

/// What runs in one thread.
struct Thread {
  std::uint32_t region = 0;
  std::uint32_t running = 0;
  std::uint64_t calls = 0;
  std::uint32_t depth[kMostPythonFunctions] = {};
};
thread_local Thread t_thread;

std::size_t hash_of(std::uint64_t value) { return (value * 0x9e3779b97f4a7c15U) >> 40U; }

void text_of(PyObject* code, const char* attribute, char* to, std::size_t size) {
  PyObject* value = PyObject_GetAttrString(code, attribute);
  PyObject* text = value == nullptr ? nullptr : PyObject_Str(value);
  PyObject* utf8 = text == nullptr ? nullptr : PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
  std::snprintf(to, size, "%s", utf8 == nullptr ? "" : PyBytes_AsString(utf8));
  std::replace_if(to, to + std::strlen(to), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, '?');
  Py_XDECREF(utf8);
  Py_XDECREF(text);
  Py_XDECREF(value);
  PyErr_Clear();
}

/// The function of this line, which is a new one unless it is there already; 0 where no place is left.
std::uint32_t function_of_line(const char* line, std::size_t length) {
  PythonCallTable& table = *g_table;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(line[i])) * 0x100000001b3U;
  for (std::size_t place = hash;; ++place) {
    Line& known = g_lines[place % kLines];
    if (known.function == 0) {
      if (table.functions + 1 >= kMostPythonFunctions || table.text + length > kMostPythonText) return 0;
      known = {.at = table.text, .length = length, .function = ++table.functions};
      std::memcpy(table.lines + table.text, line, length);
      table.text += length;
    }
    if (known.length == length && std::memcmp(table.lines + known.at, line, length) == 0) return known.function;
  }
}

/// An exception may be on its way into the frame: it stays set.
std::uint32_t describe(PyObject* code) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  char name[512];
  char file[2048];
  char first[32];
  text_of(code, "co_qualname", name, sizeof name);  // 3.11 on
  if (name[0] == 0) text_of(code, "co_name", name, sizeof name);
  text_of(code, "co_filename", file, sizeof file);
  text_of(code, "co_firstlineno", first, sizeof first);
  PyErr_Restore(type, value, traceback);
  char line[3072];
  const int length = std::snprintf(line, sizeof line, "function %s\t%s\t%s\n", first, name, file);
  return function_of_line(line, static_cast<std::size_t>(length));
}

std::uint32_t number_of(PyObject* code) {
  for (std::size_t at = hash_of(reinterpret_cast<std::uintptr_t>(code) >> 4U);; ++at) {
    Known& known = g_known[at % kKnown];
    if (known.code == code) {
      Py_DecRef(code);
      if (known.region == g_region) return known.function;
    } else if (known.code != nullptr) {
      continue;
    } else if (g_known_count < kKnown / 2) {
      ++g_known_count;
      known.code = code;
    } else {
      const std::uint32_t function = describe(code);
      Py_DecRef(code);
      return function;
    }
    known.region = g_region;
    known.function = describe(code);
    return known.function;
  }
}

/// The number of the call's trampoline. Where there is none left, the last one's, and the table is of no use.
std::uint32_t call_of(std::uint32_t caller, std::uint32_t callee) {
  PythonCallTable& table = *g_table;
  for (std::size_t at = hash_of((std::uint64_t{caller} << 32U) | callee);; ++at) {
    std::uint32_t& place = g_places[at % kPlaces];
    if (place == 0) {
      if (table.calls == kMostPythonCalls || callee < 2) {
        ++table.lost;
        return kMostPythonCalls - 1;
      }
      place = ++table.calls;
      table.call[place - 1] = {.caller = caller, .callee = callee};
    }
    PythonCall& call = table.call[place - 1];
    if (call.caller != caller || call.callee != callee) continue;
    ++call.count;
    return place - 1;
  }
}

}  // namespace

bool begin_table(const char* path, const char* head, std::size_t length) {
  ::unlink(path);  // not emptied: one that is mapped still would be gone under its writer
  const int fd = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool sized = ::posix_fallocate(fd, 0, sizeof(PythonCallTable)) == 0;
  void* place =
      sized ? ::mmap(nullptr, sizeof(PythonCallTable), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (place == MAP_FAILED) {
    if (!sized) errno = ENOSPC;
    return false;
  }
  g_table = static_cast<PythonCallTable*>(place);
  std::memcpy(g_table->magic, protocol::kPythonCallsMagic, sizeof g_table->magic);
  g_table->text = std::min(length, kMostPythonText);
  std::memcpy(g_table->lines, head, g_table->text);
  std::memset(g_places, 0, sizeof g_places);
  std::fill_n(g_lines, kLines, Line());
  ++g_region;
  return true;
}

Entry enter(void* code) {
  Thread& thread = t_thread;
  if (thread.region != g_region) {
    thread = {};
    thread.region = g_region;
  }
  Entry entry{.caller = thread.running, .calls_before = thread.calls};
  entry.function = number_of(static_cast<PyObject*>(code));
  thread.running = 2 * entry.function + (thread.depth[entry.function]++ > 0 ? 1 : 0);
  entry.call = call_of(entry.caller, thread.running);
  return entry;
}

void leave(const Entry& entry) {
  Thread& thread = t_thread;
  g_table->call[entry.call].beneath += thread.calls - entry.calls_before;
  ++thread.calls;
  --thread.depth[entry.function];
  thread.running = entry.caller;
}

}  // namespace tally::host::python_functions
