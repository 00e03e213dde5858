#include "allocation_trace.h"

#include <libvex_guest_amd64.h>

#include "image/system.h"
#include "protocol/allocation_trace.h"
#include "translations.h"

namespace tally::counter {

namespace {

namespace system = host::system;
using host::Allocation;
using host::AllocationCall;

/// By their symbols. The guest names where others begin.
struct Traced {
  const HChar* name;
  Allocation function;
};
constexpr Traced kTraced[] = {
    {"malloc", Allocation::malloc},
    {"calloc", Allocation::calloc},
    {"realloc", Allocation::realloc},
    {"free", Allocation::free},
};

constexpr UInt kRoom = 4096;
AllocationCall g_calls[kRoom];
UInt g_count = 0;
Addr g_reported[host::kTracedFunctions];  ///< Where functions begin that the guest has named, by their numbers.
long g_file = -1;

void write_calls() {
  system::call(system::kWrite, g_file, system::address(g_calls), static_cast<long>(g_count * sizeof(AllocationCall)));
  g_count = 0;
}

void note_call(ULong function, ULong first, ULong second, ULong stack) {
  if (g_file < 0) return;
  const ULong caller = *reinterpret_cast<const ULong*>(stack);  // NOLINT(performance-no-int-to-ptr): the guest's
  g_calls[g_count++] = {static_cast<Allocation>(function), {first, second}, caller};
  if (g_count == kRoom) write_calls();
}

/// Allocation::stage: no function that is traced.
Allocation traced_at(Addr entry) {
  for (ULong function = 0; function < host::kTracedFunctions; ++function) {
    if (g_reported[function] == entry) return static_cast<Allocation>(function);
  }
  const HChar* name = nullptr;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), entry, &name)) return Allocation::stage;
  for (const Traced& one : kTraced) {
    if (VG_(strcmp)(name, one.name) == 0) return one.function;
  }
  return Allocation::stage;
}

IRExpr* register_at(IRSB* block, Int offset) {
  const IRTemp to = newIRTemp(block->tyenv, Ity_I64);
  addStmtToIRSB(block, IRStmt_WrTmp(to, IRExpr_Get(offset, Ity_I64)));
  return IRExpr_RdTmp(to);
}

}  // namespace

Bool take_trace_option(const HChar* argument) {
  const SizeT length = VG_(strlen)(host::kTraceOption);
  if (VG_(strncmp)(argument, host::kTraceOption, length) != 0) return False;
  constexpr long kWriteAnew = 01 | 0100 | 01000;  // O_WRONLY, O_CREAT, O_TRUNC
  g_file = system::call(system::kOpen, system::address(argument + length), kWriteAnew, 0600);
  // Out of the way of the guest's.
  constexpr long kFirst = 1000;
  const long moved = system::call(system::kFcntl, g_file, system::kDuplicate, kFirst);
  if (moved < 0) return True;
  system::call(system::kClose, g_file);
  g_file = moved;
  return True;
}

Bool handle_trace_request(const UWord* request, UWord* result) {
  if (request[0] != host::kBeginStage && request[0] != host::kTraceFunction) return False;
  *result = g_file >= 0 ? 1 : 0;
  if (request[0] == host::kTraceFunction) {
    if (request[1] < host::kTracedFunctions) g_reported[request[1]] = request[2];
    if (g_file >= 0) discard_all_translations();
    return True;
  }
  if (g_file < 0) return True;
  g_calls[g_count++] = {Allocation::stage, {request[1], 0}, 0};
  if (g_count == kRoom) write_calls();
  return True;
}

IRSB* with_trace(IRSB* block) {
  if (g_file < 0) return block;
  Int first = 0;
  while (first < block->stmts_used && block->stmts[first]->tag != Ist_IMark) ++first;
  if (first == block->stmts_used) return block;
  const Allocation traced = traced_at(block->stmts[first]->Ist.IMark.addr);
  if (traced == Allocation::stage) return block;
  const bool has_context = traced >= Allocation::object_malloc;
  IRSB* const out = deepCopyIRSBExceptStmts(block);
  for (Int i = 0; i < block->stmts_used; ++i) {
    addStmtToIRSB(out, block->stmts[i]);
    if (i != first) continue;
    IRExpr** const arguments = mkIRExprVec_4(IRExpr_Const(IRConst_U64(static_cast<ULong>(traced))),
                                             register_at(out, has_context ? offsetof(VexGuestAMD64State, guest_RSI)
                                                                          : offsetof(VexGuestAMD64State, guest_RDI)),
                                             register_at(out, has_context ? offsetof(VexGuestAMD64State, guest_RDX)
                                                                          : offsetof(VexGuestAMD64State, guest_RSI)),
                                             register_at(out, offsetof(VexGuestAMD64State, guest_RSP)));
    addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                           0, "note_call", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&note_call)), arguments)));
  }
  return out;
}

void end_trace() {
  if (g_file < 0) return;
  write_calls();
  system::call(system::kClose, g_file);
  g_file = -1;
}

}  // namespace tally::counter
