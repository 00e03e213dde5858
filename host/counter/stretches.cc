#include "stretches.h"

#include "reserve.h"

namespace tally::counter {

constinit ULong* g_counters = nullptr;

namespace {

ULong* g_collected = nullptr;
ULong* g_ignored = nullptr;
Stretch* g_stretches = nullptr;
UInt g_last = 0;
Addr* g_instructions = nullptr;  // Null: they are not kept.
UInt g_instruction_count = 0;
UInt* g_first_instruction = nullptr;  // Of each stretch.
constexpr UInt kMostInstructions = 8 * kMostStretches;
void (*g_note)(UInt number, UInt instructions) = nullptr;

}  // namespace

void reserve_stretches() {
  g_collected = reserve<ULong>(kMostStretches);
  g_ignored = reserve<ULong>(kMostStretches);
  g_stretches = reserve<Stretch>(kMostStretches);
  count_for(true);
}

UInt add_stretch(const Stretch& stretch) {
  if (g_last + 1 == kMostStretches) VG_(tool_panic)("more blocks were translated than the counter has counters for");
  g_stretches[++g_last] = stretch;
  if (g_instructions != nullptr) g_first_instruction[g_last] = g_instruction_count - stretch.instructions;
  if (g_note != nullptr) g_note(g_last, stretch.instructions);
  return g_last;
}

void note_unmapped(UInt number, UShort library) { g_stretches[number].unmapped = library; }

UInt stretches() { return g_last; }
const Stretch& stretch(UInt number) { return g_stretches[number]; }

void keep_instructions() {
  g_instructions = reserve<Addr>(kMostInstructions);
  g_first_instruction = reserve<UInt>(kMostStretches);
}

bool keeps_instructions() { return g_instructions != nullptr; }

void add_instruction(Addr at) {
  if (g_instructions == nullptr) return;
  if (g_instruction_count == kMostInstructions) VG_(tool_panic)("more instructions were translated than can be kept");
  g_instructions[g_instruction_count++] = at;
}

const Addr* instructions_of(UInt number) { return g_instructions + g_first_instruction[number]; }

void add_execution(UInt number) { ++g_collected[number]; }

ULong executions(UInt number) { return g_collected[number]; }

ULong take_executions(UInt number) {
  const ULong executions = g_collected[number];
  // Most have none, and their pages are to stay shared with the process that this one was forked from.
  if (executions != 0) g_collected[number] = 0;
  return executions;
}

Addr collected_counters() { return reinterpret_cast<Addr>(g_collected); }

void note_stretches(void (*note)(UInt number, UInt instructions)) { g_note = note; }

void count_for(bool collects) { g_counters = collects ? g_collected : g_ignored; }

}  // namespace tally::counter
