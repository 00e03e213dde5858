#include "callgrind.h"

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

void toggle() { CALLGRIND_TOGGLE_COLLECT; }

namespace {
unsigned g_dumps = 0;
}

void after_fork() { g_dumps = 0; }

unsigned dump() {
  if (!running()) return 0;
  CALLGRIND_DUMP_STATS;
  return ++g_dumps;
}

}  // namespace tally::host::callgrind
