#include "calls.h"

#include "names.h"
#include "protocol/followed_calls.h"
#include "reserve.h"
#include "stretches.h"

namespace tally::counter {

constinit UInt g_leaving = 0;

namespace {

/// How a block was left; from kByRequest on by a client request, and so many of its instructions are to be counted.
enum Leaving : UInt { kByJump, kByCall, kByReturn, kByRequest };

struct Function {
  const HChar* object = nullptr;
  const HChar* name = nullptr;
  Bool is_nameless = False;
  ULong cost = 0;
};

/// Of a translation.
struct Block {
  UInt function = 0;
  Bool begins_function = False;
  Bool in_linkage_table = False;
};

struct Arc {
  UInt caller = 0;
  UInt callee = 0;
  ULong calls = 0;
  ULong cost = 0;
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

constexpr UInt kOutside = 0;  // The function that calls those that following began in.
constexpr Addr kNeverGone = ~Addr{0};
constexpr UInt kMostFunctions = 1U << 22U;
constexpr UInt kMostArcs = 1U << 24U;

Function* g_functions = nullptr;
UInt g_function_count = 0;
Arc* g_arcs = nullptr;
UInt g_arc_count = 0;
Block* g_blocks = nullptr;
UInt g_block_count = 0;
Thread* g_threads = nullptr;
UInt g_room = 0;
Thread* g_running = nullptr;
ULong g_settled = 0;  ///< Of counter 0.

/// From keys to numbers from 1, in a table that grows.
class Index {
 public:
  /// What find_or_add() found, or 0 at a place that is to be filled.
  UInt& at(ULong key) {
    if (2 * (used_ + 1) > size_) grow();
    Entry& entry = place_of(key);
    if (entry.number == 0) {
      entry.key = key;
      ++used_;
    }
    return entry.number;
  }

 private:
  struct Entry {
    ULong key;
    UInt number;
  };

  Entry& place_of(ULong key) const {
    for (UInt at = static_cast<UInt>((key * 0x9e37'79b9'7f4a'7c15ULL) >> 32U) & (size_ - 1);;
         at = (at + 1) & (size_ - 1)) {
      Entry& entry = entries_[at];
      if (entry.number == 0 || entry.key == key) return entry;
    }
  }

  void grow() {
    Entry* const before = entries_;
    const UInt count = size_;
    size_ = size_ == 0 ? 4096 : 2 * size_;
    entries_ = static_cast<Entry*>(VG_(calloc)("tally.index", size_, sizeof(Entry)));
    for (UInt i = 0; i < count; ++i) {
      if (before[i].number != 0) place_of(before[i].key) = before[i];
    }
    if (before != nullptr) VG_(free)(before);
  }

  Entry* entries_ = nullptr;
  UInt size_ = 0;
  UInt used_ = 0;
};

constinit Index g_function_index;
constinit Index g_arc_index;

ULong key_of(const HChar* object, const HChar* name) {
  return (reinterpret_cast<Addr>(object) * 0xff51'afd7'ed55'8ccdULL) ^ reinterpret_cast<Addr>(name);
}

/// Object and name are kept: one text has one address.
UInt function_with(const HChar* object, const HChar* name, Bool is_nameless) {
  UInt& number = g_function_index.at(key_of(object, name));
  if (number == 0) {
    if (g_function_count == kMostFunctions) VG_(tool_panic)("more functions were called than can be followed");
    number = g_function_count++;
    g_functions[number] = {object, name, is_nameless};
  }
  return number;
}

UInt arc_between(UInt caller, UInt callee) {
  UInt& number = g_arc_index.at((static_cast<ULong>(caller) << 32U) | callee);
  if (number == 0) {
    if (++g_arc_count == kMostArcs) VG_(tool_panic)("more calls were made than can be followed");
    number = g_arc_count;
    g_arcs[number] = {caller, callee};
  }
  return number;
}

bool collects() { return reinterpret_cast<Addr>(g_counters) == collected_counters(); }

/// What was executed since then belongs to the function that runs.
void settle() {
  const ULong now = executions(0);
  const ULong cost = now - g_settled;
  g_settled = now;
  g_functions[g_running->current].cost += cost;
  g_running->cost += cost;
}

void push_frame(const Frame& frame) {
  Thread& thread = *g_running;
  if (thread.size == thread.room) {
    thread.room = thread.room == 0 ? 256 : 2 * thread.room;
    thread.frames = static_cast<Frame*>(VG_(realloc)("tally.frames", thread.frames, thread.room * sizeof(Frame)));
  }
  thread.frames[thread.size++] = frame;
}

void push(UInt function, UInt caller, Frame frame) {
  Thread& thread = *g_running;
  frame.arc = arc_between(caller, function);
  frame.cost_before = thread.cost;
  frame.returns_to = thread.current;
  if (frame.kind != FrameKind::base && collects()) ++g_arcs[frame.arc].calls;
  push_frame(frame);
  thread.current = function;
}

void call(UInt function, Addr stack_pointer) {
  push(function, g_running->current, {.stack_pointer = stack_pointer, .kind = FrameKind::call});
}

void pop() {
  Thread& thread = *g_running;
  const Frame& frame = thread.top();
  g_arcs[frame.arc].cost += thread.cost - frame.cost_before;
  thread.current = frame.returns_to;
  --thread.size;
}

bool is_of_program(const Frame& frame) { return frame.kind == FrameKind::call || frame.kind == FrameKind::jump; }

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
    if (thread.frames[at - 1].returns_to != function) {
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
  return g_functions[one].is_nameless && g_functions[other].is_nameless &&
         g_functions[one].object == g_functions[other].object;
}

void continue_in(const Block& block, Addr stack_pointer, UInt leaving) {
  Thread& thread = *g_running;
  const bool returned = unwind(stack_pointer);
  if (block.in_linkage_table) return;
  UInt function = block.function;
  if (leaving == kByCall) return call(function, stack_pointer);
  if (thread.last->in_linkage_table) return call(function, stack_pointer);
  if (is_one_nameless(function, thread.current)) function = thread.current;
  if (function == thread.current) return;
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
  g_functions[g_running->current].cost += leaving - kByRequest;
  g_running->cost += leaving - kByRequest;
}

void end_frames(Thread& thread) {
  for (UInt i = 0; i < thread.size; ++i) {
    Frame& frame = thread.frames[i];
    if (frame.kind != FrameKind::signal) g_arcs[frame.arc].cost += thread.cost - frame.cost_before;
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

/// Of one dump: the calls that each function makes.
class CallsByCaller {
 public:
  CallsByCaller()
      : first_(static_cast<UInt*>(VG_(calloc)("tally.first", g_function_count, sizeof(UInt)))),
        next_(static_cast<UInt*>(VG_(calloc)("tally.next", g_arc_count + 1, sizeof(UInt)))) {
    for (UInt arc = g_arc_count; arc > 0; --arc) {
      if (g_arcs[arc].calls == 0 && g_arcs[arc].cost == 0) continue;
      next_[arc] = first_[g_arcs[arc].caller];
      first_[g_arcs[arc].caller] = arc;
    }
  }
  CallsByCaller(const CallsByCaller&) = delete;
  CallsByCaller& operator=(const CallsByCaller&) = delete;
  ~CallsByCaller() {
    VG_(free)(first_);
    VG_(free)(next_);
  }

  /// 0: none.
  [[nodiscard]] UInt first_of(UInt function) const { return first_[function]; }
  [[nodiscard]] UInt after(UInt arc) const { return next_[arc]; }

 private:
  UInt* first_;
  UInt* next_;
};

void write(VgFile* file, const Arc& arc) {
  const Function& callee = g_functions[arc.callee];
  VG_(fprintf)(file, "cob=%s\ncfn=%s\ncalls=%llu 0\n0 %llu\n", callee.object, callee.name, arc.calls, arc.cost);
}

}  // namespace

void follow_calls() {
  if (follows_calls()) return;
  g_functions = reserve<Function>(kMostFunctions);
  g_arcs = reserve<Arc>(kMostArcs);
  g_blocks = reserve<Block>(kMostStretches);
  g_room = VG_N_THREADS;
  g_threads = static_cast<Thread*>(VG_(calloc)("tally.followed", g_room, sizeof(Thread)));
  for (UInt i = 0; i < g_room; ++i) g_threads[i].is_fresh = True;
  g_functions[g_function_count++] = {"", protocol::kOutside};
  g_running = &g_threads[VG_(get_running_tid)()];
}

bool follows_calls() { return g_functions != nullptr; }

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
  const CallsByCaller calls;
  for (UInt number = 0; number < g_function_count; ++number) {
    const Function& function = g_functions[number];
    if (function.cost == 0 && calls.first_of(number) == 0) continue;
    VG_(fprintf)(file, "ob=%s\nfn=%s\n", function.object, function.name);
    if (function.cost != 0) VG_(fprintf)(file, "0 %llu\n", function.cost);
    for (UInt arc = calls.first_of(number); arc != 0; arc = calls.after(arc)) write(file, g_arcs[arc]);
  }
}

void forget_calls() {
  if (!follows_calls()) return;
  settle();
  for (UInt i = 0; i < g_function_count; ++i) g_functions[i].cost = 0;
  for (UInt i = 0; i <= g_arc_count; ++i) g_arcs[i].calls = g_arcs[i].cost = 0;
  for (UInt i = 0; i < g_room; ++i) {
    const Thread& thread = g_threads[i];
    for (UInt frame = 0; frame < thread.size; ++frame) thread.frames[frame].cost_before = thread.cost;
  }
}

}  // namespace tally::counter
