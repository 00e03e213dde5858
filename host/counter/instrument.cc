#include "instrument.h"

#include "allocation_trace.h"
#include "call_sites.h"
#include "calls.h"
#include "case_watch.h"
#include "command.h"
#include "entropy.h"
#include "stretches.h"
#include "threads.h"
#include "translations.h"

namespace tally::counter {

namespace {

bool g_started = false;

IRExpr* constant(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

class Instrumented {
 public:
  explicit Instrumented(const IRSB* block) : out_(deepCopyIRSBExceptStmts(block)) {}

  void add(IRStmt* statement) { addStmtToIRSB(out_, statement); }

  void load_counters() {
    counters_ = assign(IRExpr_Load(Iend_LE, Ity_I64, constant(reinterpret_cast<Addr>(&g_counters))));
  }

  /// Of a stretch with so many instructions, which may be left at its end.
  void count(UInt number, UInt instructions) {
    add_to(number, constant(1));
    note_site(number, instructions);
    if (follows_calls()) add_to(0, constant(instructions));
  }

  void begin_block(Addr at, Int stack_pointer) {
    if (notes_call_sites() && begins_function(at)) {
      add(IRStmt_Dirty(unsafeIRDirty_0_N(1, "enter_function",
                                         VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&counter::enter_function)),
                                         mkIRExprVec_1(constant(at)))));
    }
    passes_through_ = notes_call_sites() && is_in_linkage_table(at);
    if (!follows_calls()) return;
    IRExpr** const arguments = mkIRExprVec_2(constant(reinterpret_cast<Addr>(block_to_follow(at))),
                                             assign(IRExpr_Get(stack_pointer, Ity_I64)));
    add(IRStmt_Dirty(unsafeIRDirty_0_N(
        2, "enter_block", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&counter::enter_block)), arguments)));
  }

  void end_block(IRJumpKind kind, UInt instructions) {
    const UInt leaving = leaving_of(kind, instructions);
    if (!follows_calls() || leaving == leaving_of(Ijk_Boring, 0)) return;
    add(IRStmt_Store(Iend_LE, constant(reinterpret_cast<Addr>(&g_leaving)), IRExpr_Const(IRConst_U32(leaving))));
  }

  /// If an exit of this guard is taken.
  void count_if(UInt number, IRExpr* guard) { add_to(number, assign(IRExpr_Unop(Iop_1Uto64, guard))); }

  /// Of a block that ends in a client request.
  void count_after_request(UInt number) {
    add(IRStmt_Dirty(unsafeIRDirty_0_N(1, "count_after_request",
                                       VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&counter::count_after_request)),
                                       mkIRExprVec_1(constant(number)))));
  }

  [[nodiscard]] IRSB* block() const { return out_; }

 private:
  void note_site(UInt number, UInt instructions) {
    if (!notes_call_sites() || passes_through_ || instructions == 0) return;
    add(IRStmt_Store(Iend_LE, constant(reinterpret_cast<Addr>(&g_call_site)),
                     constant(instructions_of(number)[instructions - 1])));
  }

  void add_to(UInt number, IRExpr* times) {
    IRExpr* const counter = assign(IRExpr_Binop(Iop_Add64, counters_, constant(number * sizeof(ULong))));
    IRExpr* const before = assign(IRExpr_Load(Iend_LE, Ity_I64, counter));
    add(IRStmt_Store(Iend_LE, counter, assign(IRExpr_Binop(Iop_Add64, before, times))));
  }

  IRExpr* assign(IRExpr* value) {
    const IRTemp to = newIRTemp(out_->tyenv, Ity_I64);
    add(IRStmt_WrTmp(to, value));
    return IRExpr_RdTmp(to);
  }

  IRSB* out_;
  IRExpr* counters_ = nullptr;
  bool passes_through_ = false;  ///< A linkage table's: who called it calls what it leads to.
};

/// Where a block continues if it was not left before; 0: at an address that is only known then.
Addr next_of(const IRSB* block) {
  if (block->next->tag != Iex_Const || (block->jumpkind != Ijk_Boring && block->jumpkind != Ijk_Call)) return 0;
  return block->next->Iex.Const.con->Ico.U64;
}

/// Whether an instruction is movs, stos, lods, cmps or scas with a prefix that repeats it.
bool repeats_string(const IRStmt* mark) {
  const auto* const code = reinterpret_cast<const UChar*>(mark->Ist.IMark.addr);  // NOLINT(performance-no-int-to-ptr)
  bool repeats = false;
  for (UInt i = 0; i < mark->Ist.IMark.len; ++i) {
    switch (code[i]) {
      case 0xf2:  // repne
      case 0xf3:  // rep
        repeats = true;
        break;
      case 0x66:  // sizes of operands and addresses, segments
      case 0x67:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x26:
      case 0x64:
      case 0x65:
        break;
      default:
        if (code[i] >= 0x40 && code[i] <= 0x4f) break;  // REX
        return repeats && ((code[i] >= 0xa4 && code[i] <= 0xa7) || (code[i] >= 0xaa && code[i] <= 0xaf));
    }
  }
  return false;
}

bool is_at(const IRConst* where, Addr address) { return where->tag == Ico_U64 && where->Ico.U64 == address; }

/// Where the guest's code of a block begins; 0: nowhere.
Addr block_begins_at(const IRSB* block) {
  for (Int i = 0; i < block->stmts_used; ++i) {
    if (block->stmts[i]->tag == Ist_IMark) return block->stmts[i]->Ist.IMark.addr;
  }
  return 0;
}

/// Ours, in the place of those of Valgrind's that would ask the processor.
void replace_helpers(const IRSB* block) {
  for (Int i = 0; i < block->stmts_used; ++i) {
    if (block->stmts[i]->tag != Ist_Dirty) continue;
    IRCallee*& called = block->stmts[i]->Ist.Dirty.details->cee;
    IRCallee* ours = randomness_helper(called->name);
    if (ours == nullptr) ours = clock_helper(called->name);
    if (ours != nullptr) called = ours;
  }
}

}  // namespace

void instrument_from_start() { g_started = true; }

void start_instrumentation() {
  if (g_started) return;
  g_started = true;
  discard_all_translations();
}

void stop_instrumentation() {
  if (!g_started) return;
  g_started = false;
  discard_all_translations();
}

Bool is_instrumenting() { return g_started; }

IRSB* instrument(VgCallbackClosure* /*closure*/, IRSB* block, const VexGuestLayout* layout,
                 const VexGuestExtents* /*extents*/, const VexArchInfo* /*host*/, IRType /*guest_word*/,
                 IRType /*host_word*/) {
  replace_helpers(block);
  if (!g_started) return with_trace(block);
  if (counts_command()) look_for_main(block_begins_at(block));
  Instrumented counted(block);
  Int i = 0;
  // What comes before the first instruction is Valgrind's own, a check for code that changes itself among it.
  while (i < block->stmts_used && block->stmts[i]->tag != Ist_IMark) counted.add(block->stmts[i++]);
  if (i == block->stmts_used) return block;
  counted.begin_block(block->stmts[i]->Ist.IMark.addr, layout->offset_SP);
  counted.load_counters();
  Stretch stretch{.block = block->stmts[i]->Ist.IMark.addr};
  Addr repeated = 0;  // Where the current instruction lies, if it repeats a string instruction; else 0.
  const Stretch repetition{.block = stretch.block, .repeats = True};
  for (; i < block->stmts_used; ++i) {
    if (block->stmts[i]->tag == Ist_IMark) {
      ++stretch.instructions;
      repeated = repeats_string(block->stmts[i]) ? block->stmts[i]->Ist.IMark.addr : 0;
      add_instruction(block->stmts[i]->Ist.IMark.addr);
    }
    // An instruction that leaves half-way was executed.
    if (block->stmts[i]->tag == Ist_Exit && stretch.instructions > 0) {
      counted.count(add_stretch(stretch), stretch.instructions);
      stretch.instructions = 0;
    }
    // To itself: cmps and scas, which may also end here.
    if (block->stmts[i]->tag == Ist_Exit && repeated != 0 && is_at(block->stmts[i]->Ist.Exit.dst, repeated))
      counted.count_if(add_stretch(repetition), block->stmts[i]->Ist.Exit.guard);
    counted.add(block->stmts[i]);
  }
  if (stretch.instructions > 0) {
    stretch.next = next_of(block);
    stretch.hops = block->next->tag != Iex_Const && block->jumpkind == Ijk_Boring;
    const UInt number = add_stretch(stretch);
    if (block->jumpkind == Ijk_ClientReq) {
      counted.count_after_request(number);
    } else {
      counted.count(number, stretch.instructions);
    }
  }
  if (repeated != 0 && block->next->tag == Iex_Const && is_at(block->next->Iex.Const.con, repeated))
    counted.count(add_stretch(repetition), 0);
  counted.end_block(block->jumpkind, stretch.instructions);
  return counted.block();
}

}  // namespace tally::counter
