#include "command.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_clientstate.h>

#include "dump.h"
#include "entropy.h"
#include "image/system.h"
#include "instrument.h"
#include "protocol/command_tree.h"
#include "results.h"
#include "shared_counts.h"
#include "start_clock.h"
#include "vfork.h"

extern "C" {
// Of Valgrind's core: the auxiliary vector that the kernel gave the program, in pairs.
extern UWord* VG_(client_auxv);
}

namespace tally::counter {

namespace {

namespace options = protocol::command;
namespace system = host::system;

constexpr UInt kExecve = 59;
constexpr UInt kGetrusage = 98;
constexpr UInt kSysinfo = 99;
constexpr UInt kTimes = 100;
constexpr UInt kTime = 201;
constexpr UInt kExecveat = 322;

constexpr SizeT kLongestPlace = 200;  // in the name of a file, which may have 255 bytes

const HChar* g_folder = nullptr;
Bool g_answers = True;

HChar g_place[kLongestPlace + 16] = "1";
UInt g_forks = 0;
UInt g_number = 1;      ///< Of the file that is begun.
UInt g_slot = kNoSlot;  ///< That it had when it executed this program.

Bool g_is_over = False;  ///< Its last file is complete.

// What the program's start came to.
Addr g_main = 0;      ///< Where main() is; 0: not known yet.
Bool g_looks = True;  ///< It has not begun yet.
UInt g_looked = 0;    ///< Blocks since the program's entry.
ULong g_start = 0;

// --- the file of a process

HChar* path_of_file() {
  HChar* const path = static_cast<HChar*>(VG_(malloc)("tally.path", VG_(strlen)(g_folder) + sizeof g_place + 32));
  VG_(sprintf)(path, "%s/%s-%u", g_folder, g_place, g_number);
  return path;
}

/// With what would end a line, or look like an escape, escaped.
HChar* escaped(const HChar* text) {
  HChar* const made = static_cast<HChar*>(VG_(malloc)("tally.escaped", 4 * VG_(strlen)(text) + 1));
  HChar* at = made;
  for (; *text != 0; ++text) {
    const auto byte = static_cast<UChar>(*text);
    if (byte < 32 || byte == 127 || *text == '\\') {
      at += VG_(sprintf)(at, "\\x%02x", byte);
    } else {
      *at++ = *text;
    }
  }
  *at = 0;
  return made;
}

ULong digest_of_arguments() {
  ULong digest = 0xcbf2'9ce4'8422'2325ULL;  // FNV-1a
  const auto add = [&](UChar byte) { digest = (digest ^ byte) * 0x100'0000'01b3ULL; };
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); ++i) {
    const HChar* text = *static_cast<HChar**>(VG_(indexXA)(VG_(args_for_client), i));
    for (; *text != 0; ++text) add(static_cast<UChar>(*text));
    add(0);
  }
  return digest;
}

HChar* description() {
  HChar* const program = escaped(VG_(args_the_exename));
  HChar* const text = static_cast<HChar*>(VG_(malloc)("tally.description", VG_(strlen)(program) + 256));
  VG_(sprintf)(text, "%s%s\n%s%016llx\n%s%llu\n", options::kProgram, program, options::kArguments,
               digest_of_arguments(), options::kStart, g_start);
  VG_(free)(program);
  return text;
}

/// From now on there is something to count.
void begin_file() {
  HChar* const path = path_of_file();
  HChar* const text = description();
  const SysRes file = VG_(open)(path, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0600);
  if (!sr_isError(file)) {
    const auto write = [&](const HChar* line) {
      VG_(write)(static_cast<Int>(sr_Res(file)), line, static_cast<Int>(VG_(strlen)(line)));
    };
    write(text);
    write(options::kPositions);
    write(positions());
    write("\n");
    VG_(close)(static_cast<Int>(sr_Res(file)));
  }
  VG_(free)(text);
  VG_(free)(path);
}

void end_file(bool for_good) {
  HChar* const path = path_of_file();
  HChar* const text = description();
  dump_to(path, text);
  end_sharing(for_good);
  VG_(free)(text);
  VG_(free)(path);
  ++g_number;
  g_start = 0;
}

/// The program that this process is about to execute continues with them.
void pass_on() {
  constexpr SizeT kLength = sizeof options::kProcessOption - 1;
  const SizeT room = kLength + sizeof g_place + 64;
  HChar* const option = static_cast<HChar*>(VG_(malloc)("tally.option", room));
  VG_(sprintf)(option, "%s%s-%u@%llu#%u", options::kProcessOption, g_place, g_number, passed_time(), shared_slot());
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); ++i) {
    auto*& one = *static_cast<HChar**>(VG_(indexXA)(VG_(args_for_valgrind), i));
    if (VG_(strncmp)(one, options::kProcessOption, kLength) != 0) continue;
    one = option;
    return;
  }
  VG_(addToXA)(VG_(args_for_valgrind), static_cast<const void*>(&option));
}

/// "1.2-3@17#4"
void continue_as(const HChar* text) {
  SizeT length = 0;
  while (text[length] != 0 && text[length] != '-' && length < kLongestPlace) ++length;
  VG_(strncpy)(g_place, text, length);
  g_place[length] = 0;
  HChar* end = nullptr;
  g_number = static_cast<UInt>(VG_(strtoll10)(text + length + 1, &end));
  if (*end == '@') pass_time(static_cast<ULong>(VG_(strtoll10)(end + 1, &end)));
  if (*end == '#') g_slot = static_cast<UInt>(VG_(strtoll10)(end + 1, nullptr));
}

void begin_entropy_of_process() {
  ULong seed = 0x7461'6c6c'796d'6172ULL ^ (static_cast<ULong>(g_number) << 56U);
  for (const HChar* at = g_place; *at != 0; ++at) seed = (seed ^ static_cast<UChar>(*at)) * 0x100'0000'01b3ULL;
  begin_entropy(seed, g_answers);
}

// --- pipes

/// What poll(2) takes and gives.
struct Polled {
  Int descriptor;
  Short wanted;
  Short found;
};
constexpr Short kReadable = 1;
constexpr Short kHungUp = 0x10;

bool is_pipe(Int descriptor) {
  constexpr UInt kKind = 0170000;
  constexpr UInt kPipe = 0010000;
  vg_stat about{};
  return VG_(fstat)(descriptor, &about) == 0 && (about.mode & kKind) == kPipe;
}

void sleep_a_little() {
  const long millisecond[2] = {0, 1'000'000};
  system::call(system::kNanosleep, system::address(millisecond), 0);
}

/// After a read that got less than was wanted: waits for the rest, and reads it, too. (The first byte the guest itself
/// has waited for: only there can a signal interrupt it.)
void fill_from_pipe(ThreadId thread, const UWord* arguments, UWord got) {
  constexpr UWord kPipeHolds = 65536;
  constexpr long kBytesToRead = 0x541B;  // FIONREAD
  constexpr long kIoctl = 16;
  constexpr long kNonBlocking = 04000;
  constexpr Int kPatience = 100;  // milliseconds in which nothing comes
  const auto descriptor = static_cast<Int>(arguments[0]);
  const UWord wanted = arguments[2] < kPipeHolds ? arguments[2] : kPipeHolds;
  if (got == 0 || got >= wanted || !is_pipe(descriptor)) return;
  if ((system::call(system::kFcntl, descriptor, system::kGetMode) & kNonBlocking) != 0) return;
  UWord there = 0;
  for (Int same = 0; same < kPatience; ++same) {
    Polled polled{descriptor, kReadable, 0};
    const UWord before = there;
    if (system::call(system::kPoll, system::address(&polled), 1, 0) < 0) break;
    Int available = 0;
    if (system::call(kIoctl, descriptor, kBytesToRead, system::address(&available)) < 0) break;
    there = static_cast<UWord>(available);
    if (got + there >= wanted || (polled.found & kHungUp) != 0) break;
    if (there != before) same = 0;
    sleep_a_little();
  }
  if (there == 0) return;
  if (there > wanted - got) there = wanted - got;
  const long more =
      system::call(system::kRead, descriptor, static_cast<long>(arguments[1] + got), static_cast<long>(there));
  if (more > 0) answer(thread, static_cast<Word>(got) + more);
}

// --- the start

Addr entry_of_program() {
  constexpr UWord kEntry = 9;  // AT_ENTRY
  if (VG_(client_auxv) == nullptr) return 0;
  for (const UWord* at = VG_(client_auxv); at[0] != 0; at += 2) {
    if (at[0] == kEntry) return at[1];
  }
  return 0;
}

bool is_start_of_libc(Addr block) {
  constexpr HChar kName[] = "__libc_start_main";
  const HChar* name = nullptr;
  return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), block, &name) &&
         VG_(strncmp)(name, kName, sizeof kName - 1) == 0;
}

void zero_all(UWord at, SizeT size) {
  VG_(memset)(reinterpret_cast<void*>(at), 0, size);  // NOLINT(performance-no-int-to-ptr): the guest's
}

}  // namespace

Bool take_command_option(const HChar* argument) {
  const auto value_of = [&](const HChar* option, SizeT length) -> const HChar* {
    return VG_(strncmp)(argument, option, length) == 0 ? argument + length : nullptr;
  };
  if (const HChar* folder = value_of(options::kOption, sizeof options::kOption - 1)) {
    g_folder = VG_(strdup)("tally.folder", folder);
    return True;
  }
  if (const HChar* process = value_of(options::kProcessOption, sizeof options::kProcessOption - 1)) {
    continue_as(process);
    return True;
  }
  if (const HChar* counts = value_of(options::kCountsOption, sizeof options::kCountsOption - 1)) {
    name_shared_counts(VG_(strdup)("tally.counts", counts));
    return True;
  }
  if (VG_(strcmp)(argument, options::kAnswersOption) != 0) return False;
  g_answers = False;
  return True;
}

bool counts_command() { return g_folder != nullptr; }

void begin_command() {
  instrument_from_start();
  begin_entropy_of_process();
  if (g_answers) {
    keep_clock_of_command();
  } else {
    end_start_clock();
  }
  begin_file();
  share_counts(g_place, g_number, g_slot);
}

void note_call_of_command(ThreadId thread, UInt number, UWord* arguments) {
  if (!counts_command()) return;
  if (number == kExecve || number == kExecveat) {
    end_file(false);
    pass_on();
  } else {
    begin_vfork(thread, number, arguments);
  }
}

void answer_command(ThreadId thread, UInt number, UWord* arguments, SysRes result) {
  if (!counts_command()) return;
  wait_for_vfork(number, result);
  if (sr_isError(result)) {
    // It is what it was, and continues.
    if (number == kExecve || number == kExecveat) {
      begin_file();
      continue_sharing(g_number);
    }
    return;
  }
  if (!g_answers) return;
  // Until there are threads: one of them may be the writer, and does not run meanwhile.
  if (number == system::kRead && keeps_start_clock()) fill_from_pipe(thread, arguments, sr_Res(result));
  constexpr SizeT kUsage = 144;
  constexpr SizeT kSystemTimes = 32;
  constexpr SizeT kUptimeAndLoad = 32;
  switch (number) {
    case kGetrusage:
      zero_all(arguments[1], kUsage);
      return;
    case kSysinfo:
      zero_all(arguments[0], kUptimeAndLoad);
      return;
    case kTimes:
      if (arguments[0] != 0) zero_all(arguments[0], kSystemTimes);
      answer(thread, 1);
      return;
    case kTime: {
      const ULong now = seconds_of_command();
      if (arguments[0] != 0) *reinterpret_cast<ULong*>(arguments[0]) = now;  // NOLINT(performance-no-int-to-ptr)
      answer(thread, static_cast<Word>(now));
      return;
    }
    default:
      return;
  }
}

void look_for_main(Addr block) {
  constexpr UInt kMostBlocks = 4000;  // of what comes between a program's entry and main()
  static Addr entry = 0;
  if (!g_looks) return;
  if (entry == 0) entry = entry_of_program();
  if (block == entry) {
    g_start = collected();
    g_looked = 1;
  }
  if (g_looked == 0) return;
  if (g_main == block) {
    g_start = collected();
    g_looks = False;
  } else if (g_main == 0 && is_start_of_libc(block)) {
    VG_(get_shadow_regs_area)(VG_(get_running_tid)(), reinterpret_cast<UChar*>(&g_main), 0,
                              offsetof(VexGuestAMD64State, guest_RDI), sizeof g_main);
  }
  if (++g_looked > kMostBlocks) g_looks = False;
}

void command_forks() { ++g_forks; }

void command_in_child() {
  if (!counts_command()) return;
  ++g_forks;
  const SizeT length = VG_(strlen)(g_place);
  // So deep a tree that names get too long: its number in the system is as good a name as any.
  if (length + 12 > kLongestPlace) {
    VG_(sprintf)(g_place, "p%d", VG_(getpid)());
  } else {
    VG_(sprintf)(g_place + length, ".%u", g_forks);
  }
  g_forks = 0;
  g_number = 1;
  g_start = 0;
  g_looks = False;
  vfork_in_child();
  begin_entropy_of_process();
  begin_file();
  if (!share_counts(g_place, g_number, kNoSlot)) zero();
}

void end_of_command() {
  if (!counts_command()) return;
  end_file(true);
  end_vfork();
  g_is_over = True;
}

namespace {

void note_fatal_signal(Int signal) {
  if (!g_is_over) return;
  --g_number;
  HChar* const path = path_of_file();
  const SysRes file = VG_(open)(path, VKI_O_APPEND | VKI_O_WRONLY, 0);
  VG_(free)(path);
  if (sr_isError(file)) return;
  HChar line[64];
  const UInt length = VG_(sprintf)(line, "%s%d\n", options::kSignal, signal);
  VG_(write)(static_cast<Int>(sr_Res(file)), line, static_cast<Int>(length));
  VG_(close)(static_cast<Int>(sr_Res(file)));
}

}  // namespace

}  // namespace tally::counter

// NOLINTBEGIN(bugprone-reserved-identifier): the linker asks for these names (--wrap)
extern "C" {
void __real_vgPlain_kill_self(Int signal);
/// The last that Valgrind does in a process whose guest was ended by a signal, after the tool's own end.
void __wrap_vgPlain_kill_self(Int signal) {
  tally::counter::note_fatal_signal(signal);
  __real_vgPlain_kill_self(signal);
}
}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
