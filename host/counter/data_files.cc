#include "data_files.h"

#include "image/system.h"

extern "C" {
/// Of Valgrind's core (pub_core_aspacemgr.h, whose headers Debian's package has not).
struct TallyMapRequest {
  Int kind;
  Addr start;
  Addr length;
};
// NOLINTBEGIN(bugprone-reserved-identifier): the linker asks for these names
Addr __real_vgPlain_am_get_advisory(const TallyMapRequest* request, Bool for_client, Bool* ok);
Addr __wrap_vgPlain_am_get_advisory(const TallyMapRequest* request, Bool for_client, Bool* ok);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace tally::counter {

namespace {

namespace system = host::system;

constexpr Int kAt = 1;        // MHint: there, where nothing is
constexpr Int kAnywhere = 2;  // MAny

/// Below Valgrind's own memory, and above all that a program uses.
constexpr Addr kBegin = Addr{48} << 30U;
constexpr Addr kEnd = Addr{60} << 30U;
constexpr Addr kBetween = Addr{64} << 10U;

Addr g_next = kBegin;
Bool g_is_data = False;

bool is_program(long descriptor) {
  constexpr HChar kMagic[] = {0x7f, 'E', 'L', 'F'};
  HChar first[sizeof kMagic] = {};
  system::call(system::kPread, descriptor, system::address(first), sizeof first, 0);
  return VG_(memcmp)(first, kMagic, sizeof first) == 0;
}

/// 0: wherever Valgrind puts it.
Addr place_of(const TallyMapRequest& request) {
  const bool anywhere = request.kind == kAnywhere || (request.kind == kAt && request.start == 0);
  if (!g_is_data || !anywhere) return 0;
  const Addr length = request.length;
  const Addr room = (length + 2 * kBetween - 1) & ~(kBetween - 1);
  if (room > kEnd - kBegin) return 0;
  if (g_next + room > kEnd) g_next = kBegin;
  const Addr place = g_next;
  g_next += room;
  return place;
}

}  // namespace

void look_for_data_file(UInt number, const UWord* arguments) {
  g_is_data = False;
  if (number != system::kMmap) return;
  constexpr UWord kReadOnly = 1;
  constexpr UWord kAnonymous = 0x20;
  constexpr UWord kFixed = 0x10;
  const auto descriptor = static_cast<Int>(arguments[4]);
  g_is_data = arguments[0] == 0 && arguments[2] == kReadOnly && (arguments[3] & (kAnonymous | kFixed)) == 0 &&
              descriptor >= 0 && !is_program(descriptor);
}

void end_of_data_file(UInt number) {
  if (number == system::kMmap) g_is_data = False;
}

}  // namespace tally::counter

Addr __wrap_vgPlain_am_get_advisory(const TallyMapRequest* request, Bool for_client, Bool* ok) {
  const Addr place = for_client ? tally::counter::place_of(*request) : 0;
  if (place == 0) return __real_vgPlain_am_get_advisory(request, for_client, ok);
  const TallyMapRequest wanted = {tally::counter::kAt, place, request->length};
  return __real_vgPlain_am_get_advisory(&wanted, for_client, ok);
}
