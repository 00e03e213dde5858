#include "names.h"

#include "reserve.h"

namespace tally::counter {

namespace {

DedupPoolAlloc* g_names = nullptr;
const HChar** g_function_of = nullptr;

/// A library that was unmapped, where it lay.
struct Unmapped {
  const HChar* object;
  Addr begin;
  Addr end;
  Addr bias;  ///< What its addresses have more than those in its file.
};
constexpr UShort kMostUnmapped = 4096;
Unmapped* g_unmapped = nullptr;  ///< From 1 on.
UShort g_unmapped_count = 0;

/// One that lay there before has its number. Where there is no room for more, they share one, without a name.
UShort number_of_unmapped(const Unmapped& library) {
  if (g_unmapped == nullptr)
    g_unmapped = static_cast<Unmapped*>(VG_(calloc)("tally.unmapped", kMostUnmapped + 1, sizeof(Unmapped)));
  for (UShort number = 1; number <= g_unmapped_count; ++number) {
    const Unmapped& one = g_unmapped[number];
    if (one.object == library.object && one.begin == library.begin && one.end == library.end) return number;
  }
  if (g_unmapped_count == kMostUnmapped) {
    g_unmapped[kMostUnmapped] = {"???", 1, ~Addr{0}, 0};
    return kMostUnmapped;
  }
  g_unmapped[++g_unmapped_count] = library;
  return g_unmapped_count;
}

void keep_names_of(const DebugInfo* library) {
  const DiEpoch now = VG_(current_DiEpoch)();
  Objects objects(now);
  const Addr begin = VG_(DebugInfo_get_text_avma)(library);
  const Addr end = begin + VG_(DebugInfo_get_text_size)(library);
  const UShort unmapped = number_of_unmapped({kept_name(VG_(DebugInfo_get_filename)(library)), begin, end,
                                              static_cast<Addr>(VG_(DebugInfo_get_text_bias)(library))});
  for (UInt number = 1; number <= stretches(); ++number) {
    const Stretch& one = stretch(number);
    if (one.unmapped != 0 || one.block < begin || one.block >= end) continue;
    function_of(number, objects, now);
    note_unmapped(number, unmapped);
  }
}

}  // namespace

void reserve_names() {
  constexpr SizeT kPool = SizeT{64} * 1024;
  g_names = VG_(newDedupPA)(kPool, 1, VG_(malloc), "tally.names", VG_(free));
  g_function_of = reserve<const HChar*>(kMostStretches);
}

void Objects::find(Addr code) {
  if (begin_ <= code && code < end_) return;
  debug_ = VG_(find_DebugInfo)(now_, code);
  begin_ = debug_ == nullptr ? code : VG_(DebugInfo_get_text_avma)(debug_);
  end_ = begin_ + (debug_ == nullptr ? 1 : VG_(DebugInfo_get_text_size)(debug_));
}

const HChar* Objects::name_of(Addr code) {
  find(code);
  if (debug_ != nullptr) return VG_(DebugInfo_get_filename)(debug_);
  const HChar* name = nullptr;
  return VG_(get_objname)(now_, code, &name) ? name : "???";
}

Addr Objects::in_file(Addr code) {
  find(code);
  return debug_ == nullptr ? code : code - static_cast<Addr>(VG_(DebugInfo_get_text_bias)(debug_));
}

const HChar* kept_name(const HChar* name) {
  return static_cast<const HChar*>(VG_(allocEltDedupPA)(g_names, VG_(strlen)(name) + 1, name));
}

const HChar* function_of(UInt number, Objects& objects, DiEpoch now) {
  const HChar*& known = g_function_of[number];
  if (known != nullptr) return known;
  const Addr block = stretch(number).block;
  HChar address[32];
  const HChar* name = nullptr;
  if (!VG_(get_fnname)(now, block, &name)) {
    VG_(sprintf)(address, "0x%016lx", objects.in_file(block));
    name = address;
  }
  known = kept_name(name);
  return known;
}

void keep_names_of_unmapped(UInt number, const UWord* arguments) {
  constexpr UInt kMunmap = 11;
  if (number != kMunmap) return;
  const Addr end = arguments[0] + arguments[1];
  for (const DebugInfo* one = VG_(next_DebugInfo)(nullptr); one != nullptr; one = VG_(next_DebugInfo)(one)) {
    const Addr begin = VG_(DebugInfo_get_text_avma)(one);
    if (begin >= arguments[0] && begin < end && VG_(DebugInfo_get_text_size)(one) != 0) keep_names_of(one);
  }
}

const HChar* object_of_unmapped(UShort library) { return g_unmapped[library].object; }

Addr in_file_of_unmapped(UShort library, Addr code) { return code - g_unmapped[library].bias; }

bool was_unmapped(Addr code) {
  for (UShort number = 1; number <= g_unmapped_count; ++number) {
    if (g_unmapped[number].begin <= code && code < g_unmapped[number].end) return true;
  }
  return false;
}

}  // namespace tally::counter
