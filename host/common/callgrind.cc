#include "callgrind.h"

#include <valgrind/callgrind.h>

#include "protocol/collected.h"

namespace tally::host::callgrind {

bool running() { return RUNNING_ON_VALGRIND != 0; }

namespace {
bool g_instrumented = false;
bool g_collecting = true;
}  // namespace

void start_instrumentation() {
  CALLGRIND_START_INSTRUMENTATION;
  g_instrumented = true;
}

void collect(bool on) {
  // Before there is a thread to Callgrind, the state that it would switch is nobody's.
  if (on == g_collecting || !g_instrumented) return;
  g_collecting = on;
  CALLGRIND_TOGGLE_COLLECT;
}

bool collects() { return g_instrumented && g_collecting; }

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

protocol::Followed follow(protocol::Followed wanted) {
  return static_cast<protocol::Followed>(
      VALGRIND_DO_CLIENT_REQUEST_EXPR(0, kFollow, static_cast<unsigned long>(wanted), 0, 0, 0, 0));
}

void discard() {
  if (!running()) return;
  CALLGRIND_DUMP_STATS_AT("before a region");
  ++g_dumps;
}

}  // namespace tally::host::callgrind
