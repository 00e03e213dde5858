#include "vfork.h"

#include "image/system.h"

extern "C" {
// Of Valgrind's core: a descriptor beyond those that the guest can have, in the place of this one.
Int vgPlain_safe_fd(Int descriptor);
}

namespace tally::counter {

namespace {

namespace system = host::system;

constexpr UInt kClone = 56;
constexpr UInt kVfork = 58;
constexpr UWord kAsVfork = 0x4100;     // CLONE_VM | CLONE_VFORK
constexpr long kStackOfCaller = 4096;  // as far as there is so much
constexpr long kPiece = 512;

Int g_pipe[2] = {-1, -1};  ///< Its end that is read, and the other one; -1: there is none.
Addr g_stack = 0;
Bool g_begins = False;

void close_pipe(UInt end) {
  if (g_pipe[end] >= 0) VG_(close)(g_pipe[end]);
  g_pipe[end] = -1;
}

}  // namespace

void begin_vfork(ThreadId thread, UInt number, const UWord* arguments) {
  constexpr long kPipe2 = 293;
  if (number != kVfork && (number != kClone || (arguments[0] & kAsVfork) != kAsVfork)) return;
  // It is itself such a child.
  if (g_pipe[1] >= 0) return;
  if (system::call(kPipe2, system::address(g_pipe), system::kOpenOnly) != 0) return;
  for (Int& end : g_pipe) end = vgPlain_safe_fd(end);
  g_stack = VG_(get_SP)(thread);
  g_begins = True;
}

void wait_for_vfork(UInt number, SysRes result) {
  if (!g_begins || (number != kVfork && number != kClone) || (!sr_isError(result) && sr_Res(result) == 0)) return;
  g_begins = False;
  close_pipe(1);
  for (long done = 0; done < kStackOfCaller;) {
    const long got = system::call(system::kRead, g_pipe[0], static_cast<long>(g_stack) + done, kPiece);
    if (got <= 0) break;
    done += got;
  }
  close_pipe(0);
}

void vfork_in_child() {
  close_pipe(0);
  if (!g_begins) close_pipe(1);
  g_begins = False;
}

void end_vfork() {
  if (g_pipe[1] < 0) return;
  for (long done = 0; done < kStackOfCaller; done += kPiece) {
    if (system::call(system::kWrite, g_pipe[1], static_cast<long>(g_stack) + done, kPiece) != kPiece) break;
  }
  close_pipe(1);
}

}  // namespace tally::counter
