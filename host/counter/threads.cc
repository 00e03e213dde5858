#include "threads.h"

#include "start_clock.h"
#include "stretches.h"

extern "C" {
extern Bool VG_(is_valid_tid)(ThreadId thread);  // not in the headers for tools
}

namespace tally::counter {

namespace {

struct Thread {
  bool ignored = false;
  UInt requested = 0;  ///< The stretch that ended in its last client request; 0: it is counted.
};

Thread* g_threads = nullptr;
UInt g_room = 0;
ThreadId g_highest = 1;  ///< Of all that there ever were.

/// Whether it runs or not.
void settle(Thread& thread) {
  if (thread.requested != 0 && !thread.ignored) add_execution(thread.requested);
  thread.requested = 0;
}

bool has_room() {
  for (ThreadId thread = 1; thread < g_room; ++thread) {
    if (VG_(is_valid_tid)(thread) == False) return true;
  }
  return false;
}

}  // namespace

void reserve_threads() {
  g_room = VG_N_THREADS;
  g_threads = static_cast<Thread*>(VG_(calloc)("tally.threads", g_room, sizeof(Thread)));
}

void on_start(ThreadId thread, ULong /*blocks*/) {
  VG_N_THREADS = g_room;
  count_for(!g_threads[thread].ignored);
}

void on_create(ThreadId parent, ThreadId child) {
  if (parent != VG_INVALID_THREADID) end_start_clock();
  settle(g_threads[child]);  // of the one that had this number before
  g_threads[child] = Thread{};
  if (child > g_highest) g_highest = child;
}

bool is_new_thread(UInt number, const UWord* arguments) {
  constexpr UInt kClone = 56;
  constexpr UWord kThread = 0x00010000;  // CLONE_THREAD
  return number == kClone && (arguments[0] & kThread) != 0;
}

void explain_too_many_threads(UInt number, const UWord* arguments) {
  if (!is_new_thread(number, arguments) || has_room()) return;
  constexpr Int kStandardError = 2;
  HChar text[128];
  const UInt length = VG_(sprintf)(text, "tally: it begins its %uth thread, and has %u at most where it is counted\n",
                                   g_room, g_room - 1);
  VG_(write)(kStandardError, text, static_cast<Int>(length));
}

void forget_unused_threads() { VG_N_THREADS = g_highest + 1; }

void toggle_collecting(ThreadId thread) {
  g_threads[thread].ignored = !g_threads[thread].ignored;
  count_for(!g_threads[thread].ignored);
}

Bool is_collecting(ThreadId thread) { return !g_threads[thread].ignored; }

VG_REGPARM(1) void count_after_request(UWord number) {
  UInt& requested = g_threads[VG_(get_running_tid)()].requested;
  if (requested != 0) ++g_counters[requested];
  requested = static_cast<UInt>(number);
}

void forget_requests() {
  for (ThreadId thread = 1; thread <= g_highest; ++thread) g_threads[thread].requested = 0;
}

void settle_others(ThreadId thread) {
  for (ThreadId other = 1; other <= g_highest; ++other) {
    if (other != thread) settle(g_threads[other]);
  }
}

}  // namespace tally::counter
