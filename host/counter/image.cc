#include "image.h"

#include "closed_folders.h"
#include "image/system.h"
#include "image_writer.h"
#include "protocol/host_image.h"
#include "read_files.h"
#include "start_clock.h"

extern "C" {
#include <pub_tool_libcsetjmp.h>
// Of Valgrind's core: what it does in the child of a fork.
void vgPlain_do_atfork_child(ThreadId thread);
}

namespace tally::counter {

namespace {

namespace image = protocol::image;
namespace system = host::system;
using system::address;
using system::call;

/// A host that starts faster is started.
constexpr long kLeastProcessorMs = 700;

constexpr long kNew = 01 | 0100 | 0200;  // O_WRONLY | O_CREAT | O_EXCL
constexpr long kOwn = 0600;

const HChar* g_path = nullptr;

// What a process that was made of the image continues with; a static variable is part of it.
VG_MINIMAL_JMP_BUF(g_context);
HChar g_new_dump_name[4096];
Bool g_is_being_restored = False;

/// What the kernel knows of a thread and memory does not hold.
struct KernelState {
  long clear_tid = 0;
  long robust_list = 0;
  long robust_size = 0;
  long signal_mask = 0;
  long alternate_stack[3] = {};

  void read() {
    call(system::kGetRobustList, 0, address(&robust_list), address(&robust_size));
    call(system::kPrctl, system::kGetTidAddress, address(&clear_tid));
    call(system::kSigmask, 0, 0, address(&signal_mask), sizeof signal_mask);
    call(system::kSigaltstack, 0, address(&alternate_stack));
  }
  void write() const {
    if (clear_tid != 0) call(system::kSetTidAddress, clear_tid);
    if (robust_list != 0) call(system::kSetRobustList, robust_list, robust_size);
    constexpr long kDisabled = 2;
    if (alternate_stack[1] != kDisabled) call(system::kSigaltstack, address(&alternate_stack));
  }
  /// Once signals may come.
  void open_signals() const { call(system::kSigmask, system::kSetAll, address(&signal_mask), 0, sizeof signal_mask); }
};
KernelState g_kernel;

/// The loader calls it, on a stack of its own.
[[noreturn]] void resume(const image::Resumed* resumed) {
  VG_(strncpy)(g_new_dump_name, resumed->dump_name, sizeof g_new_dump_name - 1);
  close_folders(resumed->folders);
  VG_MINIMAL_LONGJMP(g_context);
}

bool is_worth_it() {
  constexpr long kOfProcess = 2;  // CLOCK_PROCESS_CPUTIME_ID
  long used[2] = {};
  call(system::kClockGettime, kOfProcess, address(&used));
  return used[0] * 1000 + used[1] / 1'000'000 >= kLeastProcessorMs;
}

/// Whoever looks for the image finds why there is none.
void note_why_none(const HChar* why) {
  HChar name[4096];
  VG_(snprintf)(name, sizeof name, "%s.not", g_path);
  const long note = call(system::kOpen, address(name), kNew | system::kOpenOnly | system::kNoFollow, kOwn);
  if (note < 0) return;
  call(system::kWrite, note, address(why), static_cast<long>(VG_(strlen)(why)));
  call(system::kClose, note);
}

/// A child's word.
bool is_given_up() {
  HChar name[4096];
  system::Stat about{};
  VG_(snprintf)(name, sizeof name, "%s.not", g_path);
  return call(system::kStat, address(name), address(&about)) == 0;
}

void write_image() {
  if (is_given_up()) return;
  if (const HChar* const why = why_reading_is_unknown()) return note_why_none(why);
  const long file = call(system::kOpen, address(g_path), kNew | system::kOpenOnly | system::kNoFollow, kOwn);
  if (file < 0) return;
  const HChar* const why = write_process(file, reinterpret_cast<ULong>(&resume));
  call(system::kClose, file);
  if (why == nullptr) return;
  call(system::kUnlink, address(g_path));
  note_why_none(why);
}

}  // namespace

Bool take_image_option(const HChar* argument) {
  const SizeT length = VG_(strlen)(image::kOption);
  if (VG_(strncmp)(argument, image::kOption, length) != 0) return False;
  g_path = VG_(strdup)("tally.image", argument + length);
  begin_keeping_read_files();
  return True;
}

Bool handle_image_request(ThreadId thread, const UWord* request, UWord* result, const HChar*& dump_name) {
  if (request[0] != image::kReadyToServe) return False;
  *result = 0;
  end_start_clock();
  if (g_path == nullptr) return True;
  g_kernel.read();
  if (VG_MINIMAL_SETJMP(g_context) == 0) {
    if (is_worth_it()) write_image();
    end_keeping_read_files();
    return True;
  }
  end_keeping_read_files();
  call(system::kMunmap, image::kLoader, image::kLoaderEnd - image::kLoader);
  g_kernel.write();
  dump_name = g_new_dump_name;
  g_is_being_restored = True;
  vgPlain_do_atfork_child(thread);
  g_is_being_restored = False;
  g_kernel.open_signals();
  return True;
}

void give_up_image(const HChar* why) {
  if (g_path != nullptr) note_why_none(why);
}

Bool is_being_restored() { return g_is_being_restored; }

}  // namespace tally::counter
