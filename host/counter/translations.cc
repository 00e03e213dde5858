#include "translations.h"

#include "kernel.h"
#include "valgrind.h"

extern "C" {

// Of Valgrind's core (coregrind/pub_core_transtab.h and pub_core_options.h).
void vgPlain_discard_translations(Addr start, ULong size, const HChar* who);
extern UInt vgPlain_clo_num_transtab_sectors;

// What the linker takes __wrap_… for (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier)
SysRes __real_vgPlain_am_mmap_anon_float_valgrind(SizeT size);
XArray* __real_vgPlain_newXA(Alloc_Fn_t allocate, const HChar* what_for, Free_Fn_t free, Word element_size);
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"

namespace tally::counter {

namespace {

struct Piece {
  Addr at;
  SizeT size;
};

/// What Valgrind maps for some 40,000 translations, in the order in which it does (initialiseSector() in
/// coregrind/m_transtab.c). Sectors are used in turn, and emptied as a whole when their turn comes again.
struct Sector {
  Piece code;
  Piece entries;
  Piece entries_addresses;
  Piece slots;  ///< A hash table of 16-bit numbers of entries.
};
constexpr UInt kMostSectors = 48;  // MAX_N_SECTORS in coregrind/pub_core_transtab.h
constexpr UInt kPieces = sizeof(Sector) / sizeof(Piece);

Piece g_mapped[kPieces];  ///< The last ones, in order.
Sector g_sectors[kMostSectors];
UInt g_sector_count = 0;
UShort g_empty_slot = 0;

void note_mapping(Piece piece) {
  for (UInt i = 1; i < kPieces; ++i) g_mapped[i - 1] = g_mapped[i];
  g_mapped[kPieces - 1] = piece;
}

/// The four mappings were a sector's, whose slots are all empty yet. One of another make is left as it is.
void note_sector() {
  constexpr SizeT kMostSlots = 65536;
  if (g_sector_count == kMostSectors || g_mapped[3].size > kMostSlots * sizeof(UShort)) return;
  g_sectors[g_sector_count++] = {g_mapped[0], g_mapped[1], g_mapped[2], g_mapped[3]};
  g_empty_slot = *reinterpret_cast<const UShort*>(g_mapped[3].at);  // NOLINT(performance-no-int-to-ptr)
}

void empty_slots(const Piece& slots) {
  auto* const slot = reinterpret_cast<UShort*>(slots.at);  // NOLINT(performance-no-int-to-ptr)
  for (SizeT i = 0; i < slots.size / sizeof(UShort); ++i) slot[i] = g_empty_slot;
}

}  // namespace

void discard_all_translations() {
  // The first page is never mapped.
  vgPlain_discard_translations(0x1000, ~ULong{0xfff}, "tally-counter");
  // The sector in use has its free entries in a list, which lies in them: it is the last, unless a turn is over.
  const bool in_first_turn = g_sector_count < vgPlain_clo_num_transtab_sectors;
  for (UInt i = 0; i < g_sector_count; ++i) {
    kernel::forget(g_sectors[i].code.at, g_sectors[i].code.size);
    empty_slots(g_sectors[i].slots);
    if (in_first_turn && i + 1 < g_sector_count) kernel::forget(g_sectors[i].entries.at, g_sectors[i].entries.size);
  }
}

}  // namespace tally::counter

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

SysRes __wrap_vgPlain_am_mmap_anon_float_valgrind(SizeT size) {
  const SysRes mapped = __real_vgPlain_am_mmap_anon_float_valgrind(size);
  if (!sr_isError(mapped)) tally::counter::note_mapping({sr_Res(mapped), size});
  return mapped;
}

XArray* __wrap_vgPlain_newXA(Alloc_Fn_t allocate, const HChar* what_for, Free_Fn_t free, Word element_size) {
  if (VG_(strcmp)(what_for, "transtab.initialiseSector(host_extents)") == 0) tally::counter::note_sector();
  return __real_vgPlain_newXA(allocate, what_for, free, element_size);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
