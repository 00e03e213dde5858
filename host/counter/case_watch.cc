#include "case_watch.h"

#include <libvex_guest_amd64.h>

#include "instrument.h"
#include "protocol/case_watch.h"
#include "start_clock.h"
#include "threads.h"

extern "C" {
// Of Valgrind's core: what the kernel calls a descriptor's file.
Bool VG_(resolve_filename)(Int descriptor, const HChar** name);
}

namespace tally::counter {

namespace {

host::CaseWatch* g_watch = nullptr;  ///< The host's; null: nobody has asked.
const DebugInfo* g_host = nullptr;   ///< The object that has asked; for a benchmark program, the program.
const HChar* g_observers = nullptr;  ///< How the paths of an observer's files begin; null: there is none.
Bool g_is_own = False;  ///< What is noted as changed was made by this process, under a name that nobody had.

/// The system calls that name what they change: the place of that name among their arguments.
struct NamingCall {
  UInt number;
  UInt name;
};
constexpr NamingCall kNamingCalls[] = {
    {76, 0},   // truncate
    {82, 0},   // rename
    {83, 0},   // mkdir
    {84, 0},   // rmdir
    {86, 1},   // link
    {87, 0},   // unlink
    {88, 1},   // symlink
    {133, 0},  // mknod
    {258, 1},  // mkdirat
    {259, 1},  // mknodat
    {263, 1},  // unlinkat
    {264, 1},  // renameat
    {265, 3},  // linkat
    {266, 2},  // symlinkat
    {316, 1},  // renameat2
};

constexpr UInt kOpen = 2;
constexpr UInt kCreat = 85;
constexpr UInt kOpenat = 257;
constexpr UInt kOpenat2 = 437;

/// Those that change the file of the descriptor that is their first argument.
constexpr UInt kWritingCalls[] = {
    1,    // write
    18,   // pwrite64
    20,   // writev
    77,   // ftruncate
    285,  // fallocate
    296,  // pwritev
    328,  // pwritev2
};

constexpr UWord kWriteOnly = 1;
constexpr UWord kReadAndWrite = 2;
constexpr UWord kCreate = 0100;
constexpr UWord kExclusive = 0200;
constexpr UWord kNameless = 020000000;  // O_TMPFILE, without O_DIRECTORY

bool is_below(const HChar* name, const HChar* folder) {
  const SizeT length = VG_(strlen)(folder);
  return VG_(strncmp)(name, folder, length) == 0 && (name[length] == '/' || name[length] == 0);
}

/// A relative name is one from the folder of that descriptor, or from the working folder.
bool is_in_own_folder(const HChar* name, Word folder) {
  if (g_watch->own_folder[0] == 0) return false;
  if (name[0] == '/') return is_below(name, g_watch->own_folder);
  if (VG_(strstr)(name, "..") != nullptr) return false;
  const HChar* place = nullptr;
  if (folder >= 0)
    return VG_(resolve_filename)(static_cast<Int>(folder), &place) && is_below(place, g_watch->own_folder);
  HChar working[host::CaseWatch::kRoom];
  const SSizeT length = VG_(readlink)("/proc/self/cwd", working, sizeof working - 1);
  if (length <= 0) return false;
  working[length] = 0;
  return is_below(working, g_watch->own_folder);
}

constexpr Word kWorkingFolder = -100;  // AT_FDCWD

bool is_observers(const HChar* name) {
  return g_observers != nullptr && VG_(strncmp)(name, g_observers, VG_(strlen)(g_observers)) == 0;
}

void keep(const HChar* name, Word folder = kWorkingFolder) {
  if (is_observers(name) || is_in_own_folder(name, folder)) return;
  SizeT length = 0;
  for (; length + 1 < host::CaseWatch::kRoom && name[length] != 0; ++length)
    g_watch->changed_file[length] = name[length];
  g_watch->changed_file[length] = 0;
}

bool is_made_up(const HChar* name) { return VG_(strncmp)(name, "/proc/", 6) == 0; }

/// A file without a name any more, or that never had one, is nobody else's.
bool has_name(const HChar* name) {
  constexpr HChar kNone[] = " (deleted)";
  const SizeT length = VG_(strlen)(name);
  return length < sizeof kNone || VG_(strcmp)(name + length - (sizeof kNone - 1), kNone) != 0;
}

bool is_regular(Int descriptor) {
  vg_stat about{};
  if (VG_(fstat)(descriptor, &about) != 0) return false;
  constexpr UInt kKind = 0170000;
  constexpr UInt kRegular = 0100000;
  return (about.mode & kKind) == kRegular;
}

void note_descriptor(Int descriptor) {
  if (!is_regular(descriptor)) return;
  const HChar* name = nullptr;
  if (VG_(resolve_filename)(descriptor, &name) && !is_made_up(name) && has_name(name)) keep(name);
}

void note_opened(UWord name, UWord flags, SysRes result, UWord folder = static_cast<UWord>(kWorkingFolder)) {
  const auto* const text = reinterpret_cast<const HChar*>(name);  // NOLINT(performance-no-int-to-ptr): the guest's
  constexpr UWord kExists = 17;
  if (sr_isError(result)) {
    // Somebody else made it.
    if (sr_Err(result) == kExists && (flags & (kCreate | kExclusive)) == (kCreate | kExclusive))
      keep(text, static_cast<Int>(folder));
    return;
  }
  g_is_own = (flags & (kCreate | kExclusive)) == (kCreate | kExclusive);
  const bool writes = (flags & (kWriteOnly | kReadAndWrite | kCreate)) != 0;
  if (!writes || (flags & kNameless) != 0 || is_made_up(text)) return;
  if (is_regular(static_cast<Int>(sr_Res(result)))) keep(text, static_cast<Int>(folder));
}

void note_changed_file(UInt number, const UWord* arguments, SysRes result) {
  switch (number) {
    case kOpen:
      return note_opened(arguments[0], arguments[1], result);
    case kCreat:
      return note_opened(arguments[0], kWriteOnly | kCreate, result);
    case kOpenat:
      return note_opened(arguments[1], arguments[2], result, arguments[0]);
    case kOpenat2:
      // Its flags are the first word of what the third argument points to.
      return note_opened(arguments[1], *reinterpret_cast<const UWord*>(arguments[2]), result, arguments[0]);  // NOLINT
    default:
      break;
  }
  if (sr_isError(result)) return;
  for (const UInt writing : kWritingCalls) {
    if (number == writing) return note_descriptor(static_cast<Int>(arguments[0]));
  }
  for (const NamingCall& call : kNamingCalls) {
    if (number != call.number) continue;
    constexpr UInt kFirstWithFolder = 258;  // mkdirat: the name comes after a descriptor from here on
    const Word folder = number < kFirstWithFolder ? kWorkingFolder : static_cast<Int>(arguments[call.name - 1]);
    return keep(reinterpret_cast<const HChar*>(arguments[call.name]), folder);  // NOLINT: the guest's
  }
}

bool asks_for_time_of_day(UInt number, const UWord* arguments) {
  constexpr UInt kGettimeofday = 96;
  constexpr UInt kTime = 201;
  constexpr UInt kClockGettime = 228;
  constexpr UWord kRealtime = 0;
  constexpr UWord kRealtimeCoarse = 5;
  constexpr UWord kTai = 11;
  if (number != kClockGettime) return number == kGettimeofday || number == kTime;
  return arguments[0] == kRealtime || arguments[0] == kRealtimeCoarse || arguments[0] == kTai;
}

bool begins_with(const HChar* name, const HChar* beginning) {
  return VG_(strncmp)(name, beginning, VG_(strlen)(beginning)) == 0;
}

/// Python's locks look at the clock and make nothing of the time: each import does, and each generator of NumPy's that
/// is seeded. What a case's own text asks of it cannot be distinguished from them, as the interpreter may have no
/// names. The host looks at it to know how long a call sleeps.
bool is_of_interpreter_or_host(ThreadId thread) {
  constexpr UInt kWords = 16;
  const auto* const stack = reinterpret_cast<const Addr*>(VG_(get_SP)(thread));  // NOLINT: the guest's
  for (UInt at = 0; at < kWords; ++at) {
    const DebugInfo* const object = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), stack[at]);
    if (object == nullptr) continue;
    const HChar* const name = VG_(DebugInfo_get_filename)(object);
    const HChar* const file = VG_(strrchr)(name, '/') == nullptr ? name : VG_(strrchr)(name, '/') + 1;
    if (begins_with(file, "libc.so") || begins_with(file, "libc-")) continue;
    return begins_with(file, "python") || begins_with(file, "libpython") || begins_with(file, "_tally_");
  }
  return false;
}

void note_clock(ThreadId thread, UInt number, const UWord* arguments) {
  constexpr UInt kClockGettime = 228;
  constexpr UWord kOfProcess = 2;  // and 3, of the thread: what nobody does takes none of it
  constexpr UWord kOfThread = 3;
  if (number != kClockGettime || (g_watch->requested & host::kClock) != 0) return;
  if (fixes_time_of_day() && asks_for_time_of_day(number, arguments)) return;
  if (arguments[0] == kOfProcess || arguments[0] == kOfThread || is_of_interpreter_or_host(thread)) return;
  g_watch->requested |= host::kClock;
}

/// Whose system call this is: what called the C library's function of a few instructions, or the place itself.
Addr caller_of(ThreadId thread) {
  const Addr place = VG_(get_IP)(thread);
  const auto* const next = reinterpret_cast<const UChar*>(place);  // NOLINT(performance-no-int-to-ptr): the guest's
  constexpr UChar kReturn = 0xc3;
  // cmp $-4095,%rax: syscall() returns, unless that was an error.
  const bool returns = next[0] == kReturn || (next[0] == 0x48 && next[1] == 0x3d && next[2] == 0x01);
  if (!returns) return place;
  return *reinterpret_cast<const Addr*>(VG_(get_SP)(thread));  // NOLINT(performance-no-int-to-ptr): likewise
}

/// Python's event loops ask in which process they are, to know whether it was forked, and make nothing else of it.
bool is_event_loop(const DebugInfo* object) {
  return object != nullptr && VG_(strstr)(VG_(DebugInfo_get_filename)(object), "/_asyncio.") != nullptr;
}

/// Hosts ask for the number of their process, too, and Python for that of each thread that it starts. Where the user's
/// code lies in one object with ours, the function's name decides; in one without names nothing is reported of the
/// case.
bool asks_for_itself(ThreadId thread) {
  const DiEpoch now = VG_(current_DiEpoch)();
  const Addr caller = caller_of(thread);
  const HChar* name = nullptr;
  const bool has_name = VG_(get_fnname)(now, caller, &name);
  if (has_name && VG_(strcmp)(name, "PyThread_get_thread_native_id") == 0) return false;
  const DebugInfo* const object = VG_(find_DebugInfo)(now, caller);
  if (is_event_loop(object)) return false;
  if (g_host == nullptr || object != g_host) return true;
  return has_name && !begins_with(name, "_ZN5tally") && !begins_with(name, "_ZNK5tally");
}

void note_own_number(ThreadId thread, UInt number) {
  constexpr UInt kGetpid = 39;
  constexpr UInt kGettid = 186;
  if ((number != kGetpid && number != kGettid) || (g_watch->requested & host::kOwnNumber) != 0) return;
  if (asks_for_itself(thread)) g_watch->requested |= host::kOwnNumber;
}

void note_process(ThreadId thread, UInt number, const UWord* arguments, SysRes result) {
  constexpr UInt kClone = 56;
  constexpr UInt kFork = 57;
  constexpr UInt kVfork = 58;
  const bool starts = number == kFork || number == kVfork || (number == kClone && !is_new_thread(number, arguments));
  if (starts && !sr_isError(result) && is_instrumenting() && is_collecting(thread))
    g_watch->requested |= host::kProcess;
}

ULong processor_clock() {
  if (keeps_start_clock()) return start_ticks();
  if (g_watch != nullptr) g_watch->requested |= host::kTimeOfDay;
  return __builtin_ia32_rdtsc();
}

/// With the number of the processor, which is the first one.
void processor_clock_and_number(VexGuestAMD64State* state) {
  const ULong ticks = processor_clock();
  state->guest_RAX = ticks & 0xffff'ffffU;
  state->guest_RDX = ticks >> 32U;
  state->guest_RCX = 0;
}

/// A file that was made under a new name and removed again is no change: Python's tempfile tries folders so. Another
/// case that wants the same name meanwhile gets an error, which is noted there.
void forget_own_file(UInt number, const UWord* arguments, SysRes result) {
  constexpr UInt kUnlink = 87;
  constexpr UInt kUnlinkat = 263;
  if (!g_is_own || sr_isError(result) || (number != kUnlink && number != kUnlinkat)) return;
  const auto* const name = reinterpret_cast<const HChar*>(arguments[number == kUnlink ? 0 : 1]);  // NOLINT
  if (VG_(strcmp)(name, g_watch->changed_file) != 0) return;
  g_watch->changed_file[0] = 0;
  g_is_own = False;
}

}  // namespace

void leave_out_files_of(const HChar* beginning) { g_observers = beginning; }

void watch_syscall(ThreadId thread, UInt number, const UWord* arguments, SysRes result) {
  if (g_watch == nullptr) return;
  if (!fixes_time_of_day() && asks_for_time_of_day(number, arguments)) g_watch->requested |= host::kTimeOfDay;
  note_clock(thread, number, arguments);
  note_own_number(thread, number);
  note_process(thread, number, arguments, result);
  if (g_watch->changed_file[0] == 0) return note_changed_file(number, arguments, result);
  forget_own_file(number, arguments, result);
}

IRCallee* clock_helper(const HChar* helper) {
  if (VG_(strcmp)(helper, "amd64g_dirtyhelper_RDTSCP") == 0) {
    return mkIRCallee(0, "processor_clock_and_number",
                      VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&processor_clock_and_number)));
  }
  if (VG_(strcmp)(helper, "amd64g_dirtyhelper_RDTSC") != 0) return nullptr;
  return mkIRCallee(0, "processor_clock", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&processor_clock)));
}

Bool handle_watch_request(ThreadId thread, const UWord* request, UWord* result) {
  if (request[0] != host::kWatchCase && request[0] != host::kWatchFiles) return False;
  if (request[0] == host::kWatchCase) begin_time_of_case();
  g_watch = reinterpret_cast<host::CaseWatch*>(request[1]);  // NOLINT(performance-no-int-to-ptr): the guest's
  g_host = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), VG_(get_IP)(thread));
  *result = 1;
  return True;
}

}  // namespace tally::counter
