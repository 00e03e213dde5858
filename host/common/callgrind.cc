#include "callgrind.h"

#include <unistd.h>
#include <valgrind/callgrind.h>

namespace tally::host::callgrind {

bool running() { return RUNNING_ON_VALGRIND != 0; }

void start_instrumentation() {
  CALLGRIND_START_INSTRUMENTATION;
  collect(false);
}

void collect(bool on) {
  static bool collecting = true;
  if (on == collecting || !running()) return;
  collecting = on;
  CALLGRIND_TOGGLE_COLLECT;
}

unsigned dump() {
  static unsigned count = 0;
  static pid_t owner = 0;
  if (!running()) return 0;
  // Callgrind begins a new file, and a new count, when it finds itself in another process.
  if (owner != ::getpid()) {
    owner = ::getpid();
    count = 0;
  }
  CALLGRIND_DUMP_STATS;
  return ++count;
}

}  // namespace tally::host::callgrind
