#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "callgrind.h"
#include "case_child.h"
#include "clock.h"
#include "entropy.h"
#include "fork_server.h"
#include "other_threads.h"
#include "parent_death.h"
#include "protocol/case_watch.h"
#include "protocol/collected.h"
#include "protocol/descriptors.h"
#include "protocol/instruction_budget.h"
#include "shared_page.h"
#include "threads.h"
#include "waiting.h"

namespace tally::host {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;

namespace {

Regions* g_regions = nullptr;
std::uint64_t g_asked_iterations = 0;
std::uint64_t g_last_size = 0;  // of a call, in instructions; 0: not known
PyObject* g_after = nullptr;    ///< Called when a region is over; or null.

/// Instructions that were counted so far, by the counter. Without it: nanoseconds.
std::uint64_t spent() {
  const std::uint64_t counted = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, kReadCollected, 0, 0, 0, 0, 0);
  return counted > 0 ? counted : now_ns();
}

/// So many nanoseconds of waiting weigh as much as an instruction: a warm-up that sleeps ends within 15 s.
constexpr std::uint64_t kWaitingPerInstruction = 50;

/// Ten times what a warm-up may take (tally_program.py): a second such call would show nothing more.
constexpr std::uint64_t kTooMuch = 3'000'000'000;

/// Of two calls, the second's size in instructions, or in nanoseconds where none are counted: the first may do what is
/// done once. 0: it raised.
std::uint64_t size_of_call(PyObject* function) {
  const bool counts = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, kReadCollected, 0, 0, 0, 0, 0) > 0;
  std::uint64_t size = 0;
  for (int call = 0; call < 2 && size <= kTooMuch; ++call) {
    const Waiting waiting;
    const std::uint64_t before = spent();
    PyObject* result = PyObject_CallObject(function, nullptr);
    if (result == nullptr) return 0;
    Py_DECREF(result);
    size = spent() - before;
    if (counts) size = std::max(size, waiting.so_far() / kWaitingPerInstruction);
  }
  return std::max<std::uint64_t>(size, 1);
}

/// What a process has used of processors, in the kernel's ticks, and its state; all zero where it is gone.
struct Activity {
  unsigned long ticks = 0;
  char state = 0;
};

Activity activity_of(pid_t pid) {
  char text[512] = {};
  std::snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(pid));
  const int file = ::open(text, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : ::read(file, text, sizeof text - 1);
  if (file >= 0) ::close(file);
  text[length > 0 ? length : 0] = 0;
  Activity activity;
  unsigned long user = 0;
  unsigned long system = 0;
  const char* const end = std::strrchr(text, ')');
  if (end != nullptr &&
      std::sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &activity.state, &user, &system) == 3) {
    activity.ticks = user + system;
  }
  return activity;
}

/// Whether the process slept all of two seconds, or was asleep at a quarter of the looks of five, and did not answer:
/// it may wait for a thread that no fork has, or look for its answer again and again. One that waits for a processor is
/// not asleep.
bool is_stuck(pid_t pid, int answer) {
  constexpr int kLooks = 20;
  constexpr int kLooksOfMany = 50;
  pollfd watched{answer, POLLIN, 0};
  unsigned long ticks = activity_of(pid).ticks;
  int all = 0;
  int asleep = 0;
  for (int look = 0; look < kLooks; ++look) {
    if (::poll(&watched, 1, 100) > 0) return false;
    const Activity now = activity_of(pid);
    if (now.state == 'S') ++asleep;
    if (++all == kLooksOfMany) {
      if (4 * asleep >= all) return true;
      all = asleep = 0;
    }
    if (now.state != 'S' || now.ticks != ticks) look = -1;
    ticks = now.ticks;
  }
  return true;
}

/// size_up(function, here) -> size_of_call() in a forked process, so that nothing here is changed by it. Where it waits
/// there for a thread of this process, it is called in this one, if that may be (`here`). None: the function raised, or
/// has not come back; the case's own calls will show why.
PyObject* size_up(PyObject* /*module*/, PyObject* args) {
  PyObject* function = nullptr;
  int here = 0;
  if (PyArg_ParseTuple(args, "Op", &function, &here) == 0) return nullptr;
  const bool has_threads = count_threads() > 1;
  g_last_size = 0;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return PyErr_SetFromErrno(PyExc_OSError);
  entropy::keep_over_fork();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    die_with(parent);
    callgrind::after_fork();
    entropy::continue_after_fork();
    // Whatever it says is the case's own to say.
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
    callgrind::collect(true);
    const std::uint64_t size = size_of_call(function);
    if (size == 0 || ::write(ends[1], &size, sizeof size) != sizeof size) ::_exit(1);
    for (;;) ::pause();  // until it is killed: by itself, Valgrind would write a dump of it
  }
  ::close(ends[1]);
  std::uint64_t size = 0;
  const bool stuck = pid > 0 && has_threads && is_stuck(pid, ends[0]);
  const bool good = pid > 0 && !stuck && ::read(ends[0], &size, sizeof size) == sizeof size;
  ::close(ends[0]);
  if (pid > 0) {
    ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  shared_page().failed = 0;
  if (stuck && here != 0) {
    callgrind::collect(true);
    size = size_of_call(function);
    if (size == 0) return nullptr;
  } else if (!good) {
    Py_RETURN_NONE;
  }
  g_last_size = size;
  return PyLong_FromUnsignedLongLong(size);
}

/// plan(warm_up, iterations): how often the statement is executed before it is measured, and in a region; 0 iterations:
/// as often as the runner asks.
PyObject* plan(PyObject* /*module*/, PyObject* args) {
  unsigned long long warm_up = 0;
  unsigned long long iterations = 0;
  if (PyArg_ParseTuple(args, "KK", &warm_up, &iterations) == 0) return nullptr;
  g_regions->warm_up(warm_up);
  const bool is_heavy = g_last_size * protocol::kExecutionSteps[0] > protocol::kInstructionBudget;
  g_regions->fix_iterations(iterations, is_heavy ? g_last_size : 0);
  Py_RETURN_NONE;
}

PyObject* asked_iterations(PyObject* /*module*/, PyObject* /*args*/) {
  return PyLong_FromUnsignedLongLong(g_asked_iterations);
}

/// prepare(iterator, function): see PhaseIterator.
PyObject* prepare(PyObject* /*module*/, PyObject* args) {
  PyObject* iterator = nullptr;
  PyObject* function = nullptr;
  if (PyArg_ParseTuple(args, "OO", &iterator, &function) == 0) return nullptr;
  Py_INCREF(function);
  reinterpret_cast<PhaseIterator*>(iterator)->prepare = function;
  Py_RETURN_NONE;
}

void call_after(void* /*context*/) {
  PyObject* result = PyObject_CallObject(g_after, nullptr);
  if (result == nullptr) {
    PyErr_Print();
    g_regions->fail(protocol::Stage::region, "what comes after an execution raised", "its traceback is in the output");
    ::_exit(1);
  }
  Py_DECREF(result);
}

/// after(function): called when a region is over, not measured.
PyObject* after(PyObject* /*module*/, PyObject* function) {
  Py_INCREF(function);
  g_after = function;
  RegionHooks hooks = g_regions->hooks();
  hooks.after_region = call_after;
  g_regions->set_hooks(hooks);
  Py_RETURN_NONE;
}

/// finish(note, counters, figure, use): the case has ended well; `counters` and `figure` are texts as
/// protocol::Field::counter and ::value have them, "" is none. `use`: nanoseconds of the user's and of the system's,
/// and bytes; None: nothing.
PyObject* finish(PyObject* /*module*/, PyObject* args) {
  const char* note = nullptr;
  PyObject* counters = nullptr;
  const char* figure = "";
  PyObject* use = Py_None;
  if (PyArg_ParseTuple(args, "sO|sO", &note, &counters, &figure, &use) == 0) return nullptr;
  unsigned long long used[3] = {};
  if (use != Py_None && PyArg_ParseTuple(use, "KKK", &used[0], &used[1], &used[2]) == 0) return nullptr;
  auto message = g_regions->channel().compose(MessageType::report, g_regions->job());
  if (*note != 0) message.text(Field::text, std::string_view(note).substr(0, 4096));
  if (*figure != 0) message.text(Field::value, std::string_view(figure).substr(0, 4096));
  if (use != Py_None)
    message.number(Field::user_ns, used[0]).number(Field::system_ns, used[1]).number(Field::peak_bytes, used[2]);
  for (Py_ssize_t i = 0; i < PyList_Size(counters); ++i) {
    PyObject* bytes = PyUnicode_AsUTF8String(PyList_GetItem(counters, i));
    if (bytes == nullptr) return nullptr;
    message.text(Field::counter, PyBytes_AsString(bytes));
    Py_DECREF(bytes);
  }
  add_watched(message);
  g_regions->channel().send(message);
  Py_RETURN_NONE;
}

/// again(iterator): it has gone over its phase, and goes over another one of that kind.
PyObject* again(PyObject* /*module*/, PyObject* iterator) {
  reinterpret_cast<PhaseIterator*>(iterator)->begun = false;
  Py_RETURN_NONE;
}

/// pause(): not measured until resume(). Outside a region it means nothing.
PyObject* pause(PyObject* /*module*/, PyObject* /*args*/) {
  g_regions->pause();
  Py_RETURN_NONE;
}

PyObject* resume(PyObject* /*module*/, PyObject* /*args*/) {
  g_regions->resume();
  Py_RETURN_NONE;
}

/// is_timed(): whether the region whose items are prepared is timed. Where nothing counts instructions.
PyObject* is_timed(PyObject* /*module*/, PyObject* /*args*/) {
  const auto before = shared_page().pauses;
  g_regions->pause();
  const bool counts = std::exchange(shared_page().pauses, before) != before;  // a clock's pauses are not counted
  g_regions->resume();
  return PyBool_FromLong(counts ? 0 : 1);
}

/// add_time(seconds): of the block that runs. What its clock says, is not its time.
PyObject* add_time(PyObject* /*module*/, PyObject* seconds) {
  g_regions->set_manual(true);
  g_regions->add_manual_time(PyFloat_AsDouble(seconds));
  Py_RETURN_NONE;
}

/// spent(on): instructions that were counted so far, or nanoseconds where none are; whether they are counted from here
/// on. When all regions are over.
PyObject* spent_so_far(PyObject* /*module*/, PyObject* on) {
  const bool counts = PyObject_IsTrue(on) == 1;
  if (counts) callgrind::collect(true);
  const std::uint64_t so_far = spent();
  if (!counts) callgrind::collect(false);
  return PyLong_FromUnsignedLongLong(so_far);
}

/// skip(reason): the case does not want to be measured.
PyObject* skip(PyObject* /*module*/, PyObject* args) {
  const char* reason = nullptr;
  if (PyArg_ParseTuple(args, "s", &reason) == 0) return nullptr;
  g_regions->skip(reason);
  Py_RETURN_NONE;
}

/// What the counter sees of the files that a start changes.
CaseWatch g_files;

/// watch_files(): from here on.
PyObject* watch_files(PyObject* /*module*/, PyObject* /*args*/) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(kWatchFiles, &g_files, 0, 0, 0, 0);
  Py_RETURN_NONE;
}

PyObject* has_changed_files(PyObject* /*module*/, PyObject* /*args*/) {
  return PyBool_FromLong(g_files.changed_file[0] != 0 ? 1 : 0);
}

PyObject* forbid_image(PyObject* /*module*/, PyObject* /*args*/) {
  leave_no_image();
  Py_RETURN_NONE;
}

/// Whether its regions have been measured.
PyObject* measured(PyObject* /*module*/, PyObject* /*args*/) {
  return PyBool_FromLong(g_regions->ended_properly() ? 1 : 0);
}

/// serve_here(run_case, version, control, dumps): serve(), in a process that was no host: its control socket has
/// another number, its dumps get their name now, and its cases keep what is open.
PyObject* serve_here(PyObject* /*module*/, PyObject* args) {
  PyObject* function = nullptr;
  const char* version = nullptr;
  int control = 0;
  const char* dumps = nullptr;
  if (PyArg_ParseTuple(args, "Osis", &function, &version, &control, &dumps) == 0) return nullptr;
  VALGRIND_DO_CLIENT_REQUEST_STMT(kNameDumps, dumps, 0, 0, 0, 0);
  callgrind::after_fork();
  callgrind::start_instrumentation();
  keep_all_in_cases();
  leave_no_image();
  return PyLong_FromLong(serve({"python", version}, run_python_case, function, control));
}

PyObject* end_start(PyObject* /*module*/, PyObject* /*args*/) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(kEndStart, 0, 0, 0, 0, 0);
  Py_RETURN_NONE;
}

/// die_with(parent): see parent_death.h.
PyObject* die_with_parent(PyObject* /*module*/, PyObject* parent) {
  const long number = PyLong_AsLong(parent);
  if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
  die_with(static_cast<pid_t>(number));
  Py_RETURN_NONE;
}

PyMethodDef g_program_methods[] = {
    {"die_with", die_with_parent, METH_O, "Ends with the process that has forked this one."},
    {"end_start", end_start, METH_NOARGS, "Clocks are the system's from here on."},
    {"serve_here", serve_here, METH_VARARGS, "Serve cases in the middle of a program."},
    {"size_up", size_up, METH_VARARGS, "What a call takes."},
    {"plan", plan, METH_VARARGS, "How often to execute."},
    {"asked_iterations", asked_iterations, METH_NOARGS, "Executions that somebody asks for; 0: nobody does."},
    {"prepare", prepare, METH_VARARGS, "What a loop goes over."},
    {"after", after, METH_O, "What comes after each region."},
    {"finish", finish, METH_VARARGS, "What the program reports about the case."},
    {"skip", skip, METH_VARARGS, "Do not measure it."},
    {"again", again, METH_O, "Let an iterator go over another phase."},
    {"pause", pause, METH_NOARGS, "Do not measure what follows."},
    {"resume", resume, METH_NOARGS, "Measure again."},
    {"is_timed", is_timed, METH_NOARGS, "Whether a time is taken of what is prepared."},
    {"add_time", add_time, METH_O, "What a block took."},
    {"spent", spent_so_far, METH_O, "Instructions, or nanoseconds."},
    {"watch_files", watch_files, METH_NOARGS, "Note whether files are changed."},
    {"has_changed_files", has_changed_files, METH_NOARGS, "Whether one was, since then."},
    {"leave_no_image", forbid_image, METH_NOARGS, "This host is none to be made again."},
    {"measured", measured, METH_NOARGS, "Whether it was measured."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_program_parts(PyObject* module) {
  if (PyModule_AddFunctions(module, g_program_methods) != 0) return -1;
  constexpr std::pair<const char*, int> kNumbers[] = {{"BUDGET", static_cast<int>(protocol::kInstructionBudget)},
                                                      {"LATE_ENVIRONMENT", protocol::kLateEnvironment},
                                                      {"HOST_COMMON", protocol::kHostCommon},
                                                      {"PROGRAM_FRAMEWORK", protocol::kProgramFramework},
                                                      {"PROGRAM_TEXT", protocol::kProgramText},
                                                      {"BENCHMARK_LIST", protocol::kBenchmarkList}};
  for (const auto& [name, number] : kNumbers) {
    if (PyModule_AddIntConstant(module, name, number) != 0) return -1;
  }
  return 0;
}

void begin_program_case(Regions* regions, const Message& request) {
  g_regions = regions;
  g_asked_iterations = request.number(Field::iterations, 0);
  RegionHooks hooks = regions->hooks();
  hooks.let_others_run = let_others_run;
  regions->set_hooks(hooks);
}

PyObject* first_item(PhaseIterator* iterator) {
  Regions& regions = *iterator->engine;
  regions.finish();
  // A warm-up is no region, and has as much to clear away.
  if (iterator->items != nullptr && g_after != nullptr) call_after(nullptr);
  Py_CLEAR(iterator->items);
  const std::uint64_t n = regions.wait();
  if (n == 0) return nullptr;
  const bool is_timed = !callgrind::running();
  const std::uint64_t began = is_timed ? now_ns() : 0;
  iterator->items = PyObject_CallFunction(iterator->prepare, "K", static_cast<unsigned long long>(n));
  if (iterator->items == nullptr) return nullptr;
  if (is_timed) regions.add_preparation(now_ns() - began);
  if (!PyList_Check(iterator->items) || PyList_Size(iterator->items) != static_cast<Py_ssize_t>(n)) {
    PyErr_SetString(PyExc_RuntimeError, "not as many items as executions");
    return nullptr;
  }
  iterator->left = n;
  regions.start();
  return next_item(iterator);
}

PyObject* next_item(PhaseIterator* iterator) {
  --iterator->left;
  PyObject* item = PyList_GetItem(iterator->items, PyList_Size(iterator->items) - 1 - iterator->left);
  Py_INCREF(item);
  return item;
}

}  // namespace tally::host
