#include "calls.h"

#include "call_graph.h"
#include "names.h"
#include "reserve.h"
#include "stretches.h"

namespace tally::counter {

constinit UInt g_leaving = 0;

namespace {

/// How a block was left; from kByRequest on by a client request, and so many of its instructions are to be counted.
enum Leaving : UInt { kByJump, kByCall, kByReturn, kByRequest };

/// Of a translation.
struct Block {
  UInt function = 0;
  Bool begins_function = False;
  Bool in_linkage_table = False;
};

enum class FrameKind : UChar { call, jump, base, signal };

/// What was called.
struct Frame {
  Addr stack_pointer = 0;  ///< As it began: where it is higher, the frame is gone.
  ULong cost_before = 0;   ///< Of its thread.
  UInt returns_to = 0;     ///< The function that runs afterwards.
  UInt arc = 0;
  UInt jumps = 0;  ///< Frames that were jumped to, one after the other, up to this one.
  FrameKind kind = FrameKind::call;
  const Block* interrupted = nullptr;  ///< By a signal.
  UInt leaving = kByJump;              ///< Likewise: how it was left.
};

struct Thread {
  Frame* frames = nullptr;
  UInt size = 0;
  UInt room = 0;
  UInt current = 0;      ///< The function that runs.
  Bool is_fresh = True;  ///< Nothing of it has been seen, or of the handler that it is in.
  const Block* last = nullptr;
  UInt leaving = kByJump;  ///< While another thread runs.
  UInt handlers = 0;       ///< Of signals, that run.
  ULong cost = 0;          ///< Of all that it has executed.

  [[nodiscard]] Frame& top() const { return frames[size - 1]; }
};

constexpr Addr kNeverGone = ~Addr{0};
Block* g_blocks = nullptr;
UInt g_block_count = 0;
Thread* g_threads = nullptr;
UInt g_room = 0;
Thread* g_running = nullptr;
ULong g_settled = 0;  ///< Of counter 0.

/// Whatever called it.
UInt without_callers(UInt number) { return function(number).without_callers; }

bool collects() { return reinterpret_cast<Addr>(g_counters) == collected_counters(); }

/// What was executed since then belongs to the function that runs.
void settle() {
  const ULong now = executions(0);
  const ULong cost = now - g_settled;
  g_settled = now;
  function(g_running->current).cost += cost;
  g_running->cost += cost;
}

bool is_of_program(const Frame& frame) { return frame.kind == FrameKind::call || frame.kind == FrameKind::jump; }

void push_frame(const Frame& frame) {
  Thread& thread = *g_running;
  if (thread.size == thread.room) {
    thread.room = thread.room == 0 ? 256 : 2 * thread.room;
    thread.frames = static_cast<Frame*>(VG_(realloc)("tally.frames", thread.frames, thread.room * sizeof(Frame)));
  }
  thread.frames[thread.size++] = frame;
}

/// Of a function that is called now by the one that runs, or by nobody: where it is separated by its callers, the one
/// with these.
UInt in_its_context(UInt called, bool by_nobody) {
  const UInt most = function(called).most_callers;
  if (most == 0) return called;
  const Thread& thread = *g_running;
  UInt callers[kMostCallers];
  UInt count = 0;
  UInt caller = by_nobody ? kOutside : thread.current;
  for (UInt at = thread.size; count < most; --at) {
    callers[count++] = function(caller).without_callers;
    if (caller == kOutside || at == 0) break;
    const Frame& frame = thread.frames[at - 1];
    caller = is_of_program(frame) ? frame.returns_to : kOutside;
  }
  return function_called_by(called, callers, count);
}

void push(UInt called, UInt caller, Frame frame) {
  Thread& thread = *g_running;
  const UInt function = in_its_context(called, frame.kind == FrameKind::base);
  frame.arc = arc_between(caller, function);
  frame.cost_before = thread.cost;
  frame.returns_to = thread.current;
  if (frame.kind != FrameKind::base && collects()) ++arc(frame.arc).calls;
  push_frame(frame);
  thread.current = function;
}

void call(UInt function, Addr stack_pointer) {
  push(function, g_running->current, {.stack_pointer = stack_pointer, .kind = FrameKind::call});
}

void pop() {
  Thread& thread = *g_running;
  const Frame& frame = thread.top();
  arc(frame.arc).cost += thread.cost - frame.cost_before;
  thread.current = frame.returns_to;
  --thread.size;
}

/// Removes the frames that the stack pointer has left. Whether there were any.
bool unwind(Addr stack_pointer) {
  Thread& thread = *g_running;
  bool any = false;
  while (is_of_program(thread.top()) && thread.top().stack_pointer < stack_pointer) {
    pop();
    any = true;
  }
  return any;
}

void begin(UInt function) {
  push(function, kOutside, {.stack_pointer = kNeverGone, .kind = FrameKind::base});
  g_running->is_fresh = False;
}

/// The stack ends in functions that returned, or jumped, to one that was there before following began.
void rebase(UInt function) {
  while (is_of_program(g_running->top())) pop();
  pop();
  begin(function);
}

/// A jump back to a function that jumped away from itself. Whether it is one.
bool jump_back(UInt function) {
  const Thread& thread = *g_running;
  UInt at = thread.size;
  while (at > 0 && thread.frames[at - 1].kind == FrameKind::jump) {
    if (without_callers(thread.frames[at - 1].returns_to) != function) {
      --at;
      continue;
    }
    while (thread.size >= at) pop();
    return true;
  }
  return false;
}

/// It returns when its caller does. Where functions end by jumping to each other without end, as an interpreter's
/// instructions may, they return after so many.
void jump(UInt function) {
  constexpr UInt kMostJumps = 4096;
  const Thread& thread = *g_running;
  const UInt caller = thread.current;
  if (thread.top().jumps == kMostJumps) {
    while (thread.top().kind == FrameKind::jump) pop();
  }
  push(function, caller,
       {.stack_pointer = thread.top().stack_pointer, .jumps = thread.top().jumps + 1, .kind = FrameKind::jump});
}

/// Code without symbols that is reached by no call belongs to what was called.
bool is_one_nameless(UInt one, UInt other) {
  return function(one).is_nameless && function(other).is_nameless && function(one).object == function(other).object;
}

void continue_in(const Block& block, Addr stack_pointer, UInt leaving) {
  Thread& thread = *g_running;
  const bool returned = unwind(stack_pointer);
  if (block.in_linkage_table) return;
  UInt function = block.function;
  if (leaving == kByCall) return call(function, stack_pointer);
  if (thread.last->in_linkage_table) return call(function, stack_pointer);
  if (is_one_nameless(function, thread.current)) function = thread.current;
  if (function == without_callers(thread.current)) return;
  if (block.begins_function) return jump(function);
  if ((returned || leaving == kByReturn) && thread.top().stack_pointer == kNeverGone) return rebase(function);
  if (!jump_back(function)) jump(function);
}

void return_from_handler() {
  Thread& thread = *g_running;
  while (thread.top().kind != FrameKind::signal) pop();
  const Frame& frame = thread.top();
  thread.current = frame.returns_to;
  thread.last = frame.interrupted;
  // What the handler has cost is none of the function's that it interrupted.
  thread.cost = frame.cost_before;
  g_leaving = frame.leaving;
  --thread.size;
  --thread.handlers;
  thread.is_fresh = thread.last == nullptr;
}

/// Those that were left by longjmp().
void leave_handlers(Addr stack_pointer) {
  const Thread& thread = *g_running;
  while (thread.handlers > 0) {
    UInt at = thread.size;
    while (thread.frames[at - 1].kind != FrameKind::signal) --at;
    if (stack_pointer <= thread.frames[at - 1].stack_pointer) return;
    return_from_handler();
    g_leaving = kByJump;
  }
}

void count_request(UInt leaving) {
  if (leaving < kByRequest || !collects()) return;
  function(g_running->current).cost += leaving - kByRequest;
  g_running->cost += leaving - kByRequest;
}

void end_frames(Thread& thread) {
  for (UInt i = 0; i < thread.size; ++i) {
    Frame& frame = thread.frames[i];
    if (frame.kind != FrameKind::signal) arc(frame.arc).cost += thread.cost - frame.cost_before;
    frame.cost_before = thread.cost;
  }
}

/// Its number is another one's from now on, or nobody's.
void begin_anew(Thread& thread) {
  end_frames(thread);
  thread.size = thread.handlers = 0;
  thread.leaving = kByJump;
  thread.is_fresh = True;
}

}  // namespace

void follow_calls(bool python) {
  if (follows_calls()) return;
  reserve_call_graph();
  if (python) separate_python();
  g_blocks = reserve<Block>(kMostStretches);
  g_room = VG_N_THREADS;
  g_threads = static_cast<Thread*>(VG_(calloc)("tally.followed", g_room, sizeof(Thread)));
  for (UInt i = 0; i < g_room; ++i) g_threads[i].is_fresh = True;
  g_running = &g_threads[VG_(get_running_tid)()];
}

bool follows_calls() { return has_call_graph(); }

const void* block_to_follow(Addr at) {
  if (g_block_count == kMostStretches) VG_(tool_panic)("more blocks were translated than can be followed");
  const DiEpoch now = VG_(current_DiEpoch)();
  Objects objects(now);
  Block& block = g_blocks[g_block_count++];
  const HChar* name = nullptr;
  const HChar* entry = nullptr;
  HChar address[32];
  block.in_linkage_table = VG_(DebugInfo_sect_kind)(nullptr, at) == Vg_SectPLT;
  block.begins_function = VG_(get_fnname_if_entry)(now, at, &entry);
  const HChar* const object = kept_name(objects.name_of(at));
  const Bool is_nameless = VG_(get_fnname)(now, at, &name) ? False : True;
  if (is_nameless) {
    VG_(sprintf)(address, "0x%016lx", objects.in_file(at));
    name = address;
  }
  block.function = function_with(object, kept_name(name), is_nameless);
  return &block;
}

void enter_block(const void* entered, Addr stack_pointer) {
  const Block& block = *static_cast<const Block*>(entered);
  settle();
  const UInt leaving = g_leaving;
  count_request(leaving);
  leave_handlers(stack_pointer);
  g_leaving = kByJump;
  if (g_running->is_fresh) {
    begin(block.function);
  } else {
    continue_in(block, stack_pointer, leaving);
  }
  g_running->last = &block;
}

UInt leaving_of(IRJumpKind kind, UInt instructions) {
  switch (kind) {
    case Ijk_Call:
      return kByCall;
    case Ijk_Ret:
      return kByReturn;
    case Ijk_ClientReq:
      return kByRequest + instructions;
    default:
      return kByJump;
  }
}

void follow_thread(ThreadId thread) {
  if (!follows_calls() || g_running == &g_threads[thread]) return;
  settle();
  g_running->leaving = g_leaving;
  g_running = &g_threads[thread];
  g_leaving = g_running->leaving;
}

void follow_new_thread(ThreadId thread) {
  if (!follows_calls()) return;
  begin_anew(g_threads[thread]);
}

void before_signal(ThreadId thread, Int /*signal*/, Bool alternate_stack) {
  if (!follows_calls()) return;
  follow_thread(thread);
  settle();
  if (g_running->is_fresh) begin(kOutside);
  push_frame({.stack_pointer = alternate_stack ? kNeverGone : VG_(get_SP)(thread),
              .cost_before = g_running->cost,
              .returns_to = g_running->current,
              .kind = FrameKind::signal,
              .interrupted = g_running->last,
              .leaving = g_leaving});
  ++g_running->handlers;
  g_running->is_fresh = True;
  g_leaving = kByJump;
}

void after_signal(ThreadId thread, Int /*signal*/) {
  if (!follows_calls()) return;
  follow_thread(thread);
  settle();
  if (g_running->handlers > 0) return_from_handler();
}

void follow_fork(ThreadId thread) {
  if (!follows_calls()) return;
  settle();
  for (ThreadId other = 1; other < g_room; ++other) {
    if (other != thread) begin_anew(g_threads[other]);
  }
}

void forget_followed_requests() {
  if (g_leaving >= kByRequest) g_leaving = kByJump;
}

void write_calls(VgFile* file) {
  settle();
  for (UInt i = 0; i < g_room; ++i) end_frames(g_threads[i]);
  write_call_graph(file);
}

void forget_calls() {
  if (!follows_calls()) return;
  settle();
  zero_call_graph();
  for (UInt i = 0; i < g_room; ++i) {
    const Thread& thread = g_threads[i];
    for (UInt frame = 0; frame < thread.size; ++frame) thread.frames[frame].cost_before = thread.cost;
  }
}

}  // namespace tally::counter
