#include "names.h"

#include "reserve.h"

namespace tally::counter {

namespace {

DedupPoolAlloc* g_names = nullptr;
const HChar** g_function_of = nullptr;

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

}  // namespace tally::counter
