#include "call_sites.h"

#include "index.h"
#include "reserve.h"
#include "stretches.h"

namespace tally::counter {

constinit Addr g_call_site = 0;

namespace {

constexpr UInt kMostCalls = 1U << 22U;

constinit Index g_index;
CallFrom* g_calls = nullptr;  // Numbered from 1.
UInt g_count = 0;
CallFrom* g_in_order = nullptr;  // Of one dump.
UInt g_in_order_count = 0;
Addr* g_sites = nullptr;  // Of threads that do not run.
ThreadId g_running = 0;

bool collects() { return reinterpret_cast<Addr>(g_counters) == collected_counters(); }

void put_in_order() {
  g_in_order = static_cast<CallFrom*>(VG_(calloc)("tally.sites", g_count + 1, sizeof(CallFrom)));
  g_in_order_count = 0;
  for (UInt number = 1; number <= g_count; ++number) {
    if (g_calls[number].calls != 0) g_in_order[g_in_order_count++] = g_calls[number];
  }
  VG_(ssort)(g_in_order, g_in_order_count, sizeof(CallFrom), [](const void* one, const void* other) -> Int {
    const auto& a = *static_cast<const CallFrom*>(one);
    const auto& b = *static_cast<const CallFrom*>(other);
    if (a.site != b.site) return a.site < b.site ? -1 : 1;
    return a.callee < b.callee ? -1 : a.callee > b.callee ? 1 : 0;
  });
}

}  // namespace

void note_call_sites() {
  g_calls = reserve<CallFrom>(kMostCalls);
  g_sites = static_cast<Addr*>(VG_(calloc)("tally.sites", VG_N_THREADS, sizeof(Addr)));
  g_running = VG_(get_running_tid)();
}

bool notes_call_sites() { return g_calls != nullptr; }

bool begins_function(Addr block) {
  const HChar* name = nullptr;
  return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), block, &name) && !is_in_linkage_table(block);
}

bool is_in_linkage_table(Addr block) { return VG_(DebugInfo_sect_kind)(nullptr, block) == Vg_SectPLT; }

void enter_function(Addr block) {
  if (g_call_site == 0 || !collects()) return;
  // Two may have one key.
  for (ULong key = (g_call_site * 0xff51'afd7'ed55'8ccdULL) ^ block;; ++key) {
    UInt& number = g_index.at(key);
    if (number == 0) {
      if (g_count + 1 == kMostCalls) VG_(tool_panic)("more calls were made than can be noted");
      number = ++g_count;
      g_calls[number] = {.site = g_call_site, .callee = block};
    }
    CallFrom& call = g_calls[number];
    if (call.site != g_call_site || call.callee != block) continue;
    ++call.calls;
    return;
  }
}

void continue_at_call_site_of(ThreadId thread) {
  if (!notes_call_sites() || thread == g_running) return;
  g_sites[g_running] = g_call_site;
  g_running = thread;
  g_call_site = g_sites[thread];
}

void forget_call_site() { g_call_site = 0; }

const CallFrom* calls_from(Addr site) {
  if (g_in_order == nullptr) put_in_order();
  UInt low = 0;
  for (UInt high = g_in_order_count; low < high;) {
    const UInt middle = low + ((high - low) / 2);
    if (g_in_order[middle].site < site) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return &g_in_order[low];
}

void forget_call_sites() {
  if (!notes_call_sites()) return;
  for (UInt number = 1; number <= g_count; ++number) g_calls[number].calls = 0;
  if (g_in_order != nullptr) VG_(free)(g_in_order);
  g_in_order = nullptr;
}

}  // namespace tally::counter
