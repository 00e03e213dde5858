#include "drivers.h"

#include "protocol/descriptors.h"
#include "protocol/hidden_drivers.h"
#include "results.h"

namespace tally::counter {

namespace {

const HChar* g_hidden = nullptr;
Bool g_reported = False;

/// To the runner, over the case's socket. A host that has begun no case has none, and nothing is sent.
void report(const HChar* path) {
  if (g_reported) return;
  g_reported = True;
  const protocol::AskedFrame frame = protocol::asked_frame(path);
  VG_(write)(protocol::kCaseSocket, frame.bytes, static_cast<Int>(frame.size));
}

}  // namespace

Bool take_drivers_option(const HChar* argument) {
  const SizeT length = VG_(strlen)(protocol::kHiddenDriversOption);
  if (VG_(strncmp)(argument, protocol::kHiddenDriversOption, length) != 0) return False;
  g_hidden = VG_(strdup)("tally.drivers", argument + length);
  return True;
}

void hide_drivers(ThreadId thread, UInt number, const UWord* arguments, SysRes result) {
  const HChar* const path = g_hidden == nullptr ? nullptr : opened_path(number, arguments, result);
  if (path == nullptr || !protocol::is_hidden(g_hidden, path)) return;
  answer_not_found(thread, result);
  report(path);
}

void forget_asked_drivers() { g_reported = False; }

}  // namespace tally::counter
