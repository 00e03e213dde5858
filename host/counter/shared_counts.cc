#include "shared_counts.h"

#include "image/system.h"
#include "protocol/command_tree.h"
#include "stretches.h"

namespace tally::counter {

namespace {

namespace layout = protocol::command;
namespace system = host::system;

constexpr long kFallocate = 285;
constexpr long kPunchHole = 3;  // FALLOC_FL_PUNCH_HOLE, which keeps the file's size
constexpr long kReadAndWrite = 2;
static_assert(layout::kSlotCounters == kMostStretches);
constexpr UWord kCountersBytes = layout::kSlotCounters * sizeof(ULong);
constexpr UWord kLengthsBytes = layout::kSlotCounters * sizeof(UInt);

const HChar* g_path = nullptr;
UInt g_slot = kNoSlot;
layout::Slot* g_head = nullptr;
UInt* g_lengths = nullptr;

bool is_error(long result) { return result < 0 && result > -4096; }

/// At an address, or anywhere (0). Zero: it cannot be.
Addr map(long file, ULong offset, UWord size, Addr at) {
  const long flags = system::kShared | (at == 0 ? 0 : system::kFixed);
  const long result = system::call(system::kMmap, static_cast<long>(at), static_cast<long>(size),
                                   system::kReadable | system::kWritable, flags, file, static_cast<long>(offset));
  return is_error(result) ? 0 : static_cast<Addr>(result);
}

void forget(ULong offset, UWord size) {
  const long file = system::call(system::kOpen, system::address(g_path), kReadAndWrite | system::kOpenOnly);
  if (file < 0) return;
  system::call(kFallocate, file, kPunchHole, static_cast<long>(offset), static_cast<long>(size));
  system::call(system::kClose, file);
}

UInt take_slot(long file) {
  const Addr first = map(file, 0, layout::kPage, 0);
  if (first == 0) return kNoSlot;
  auto* const taken = reinterpret_cast<ULong*>(first);  // NOLINT(performance-no-int-to-ptr)
  const ULong slot = __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED);
  system::call(system::kMunmap, static_cast<long>(first), static_cast<long>(layout::kPage));
  return static_cast<UInt>(slot);
}

/// The lengths of what was translated before, in a forked process, too.
bool move_lengths(long file, ULong offset) {
  const Addr moved = map(file, offset, kLengthsBytes, 0);
  if (moved == 0) return false;
  auto* const lengths = reinterpret_cast<UInt*>(moved);  // NOLINT(performance-no-int-to-ptr)
  for (UInt number = 1; number <= stretches(); ++number) lengths[number] = stretch(number).instructions;
  if (g_lengths != nullptr) system::call(system::kMunmap, system::address(g_lengths), static_cast<long>(kLengthsBytes));
  g_lengths = lengths;
  return true;
}

bool move_to(long file, ULong at) {
  const Addr head = map(file, at, layout::kPage, 0);
  if (head == 0 || !move_lengths(file, at + layout::kPage + kCountersBytes)) return false;
  if (g_head != nullptr) system::call(system::kMunmap, system::address(g_head), layout::kPage);
  g_head = reinterpret_cast<layout::Slot*>(head);  // NOLINT(performance-no-int-to-ptr)
  return map(file, at + layout::kPage, kCountersBytes, collected_counters()) != 0;
}

/// A forked process's counters are its parent's, until it has others. False, always.
bool keep_own() {
  if (g_head != nullptr) {
    system::call(system::kMmap, static_cast<long>(collected_counters()), static_cast<long>(kCountersBytes),
                 system::kReadable | system::kWritable,
                 system::kPrivate | system::kFixed | system::kAnonymous | system::kNoReserve, -1, 0);
  }
  g_head = nullptr;
  note_stretches(nullptr);
  return false;
}

}  // namespace

void name_shared_counts(const HChar* path) { g_path = path; }

bool share_counts(const HChar* place, UInt number, UInt slot) {
  if (g_path == nullptr) return false;
  const long file = system::call(system::kOpen, system::address(g_path), kReadAndWrite | system::kOpenOnly);
  if (file < 0) return keep_own();
  if (slot != kNoSlot) forget(layout::slot_at(slot), layout::kSlotBytes);
  g_slot = slot != kNoSlot ? slot : take_slot(file);
  const bool moved = g_slot != kNoSlot && move_to(file, layout::slot_at(g_slot));
  system::call(system::kClose, file);
  if (!moved) return keep_own();
  VG_(strncpy)(g_head->place, place, sizeof g_head->place - 1);
  g_head->number = number;
  g_head->used = stretches();
  g_head->is_open = 1;
  note_stretches([](UInt last, UInt instructions) {
    g_lengths[last] = instructions;
    g_head->used = last;
  });
  return true;
}

UInt shared_slot() { return g_slot; }

void end_sharing(bool for_good) {
  if (g_head == nullptr) return;
  g_head->is_open = 0;
  if (for_good) return forget(layout::slot_at(g_slot), layout::kSlotBytes);
  // The lengths stay: a process whose attempt to execute another program fails continues with them.
  forget(layout::slot_at(g_slot) + layout::kPage, kCountersBytes);
}

void continue_sharing(UInt number) {
  if (g_head == nullptr) return;
  g_head->number = number;
  g_head->is_open = 1;
}

}  // namespace tally::counter
