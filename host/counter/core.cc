/// What Valgrind's core does for all tools, and the counter goes without: the linker takes these for the core's own
/// (--wrap). A host that imports PyTorch starts in a sixth less time for it, and faults in fewer pages.
///
/// Names and purposes are those of Valgrind's sources (coregrind/m_debuginfo/, VEX/priv/main_main.c and ir_opt.c);
/// arguments that are not looked at are left out, which the calling convention allows.
#include "valgrind.h"

namespace {

/// The room that is kept for a check for code that changes itself: 21 statements in a block that has some 40 of its
/// own.
void drop_empty_statements(IRSB* block) {
  Int kept = 0;
  for (Int i = 0; i < block->stmts_used; ++i) {
    if (block->stmts[i]->tag != Ist_NoOp) block->stmts[kept++] = block->stmts[i];
  }
  block->stmts_used = kept;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker asks for these names
extern "C" {

using SpecialisesHelpers = IRExpr* (*)(const HChar*, IRExpr**, IRStmt**, Int);
using NeedsExactState = Bool (*)(Int, Int, VexRegisterUpdates);
IRSB* __real_do_iropt_BB(IRSB* block, SpecialisesHelpers specialises, NeedsExactState needs, VexRegisterUpdates updates,
                         Addr address, VexArch guest);

/// Tables to unwind the guest's stack by: no stack is looked at. (One that Valgrind prints as a guest ends goes by
/// frame pointers.) 40 MB of libtorch alone.
void __wrap_vgModuleLocal_read_callframe_info_dwarf3() {}
/// Lines and inlined functions: what is counted is reported by function.
void __wrap_vgModuleLocal_read_debuginfo_dwarf3() {}

/// Whether a block is well formed, before it is optimised and at the end: assertions, which fail when somebody works on
/// Valgrind's translator.
void __wrap_sanityCheckIRSB() {}
/// Passes that clean up after a tool. Ours adds nothing that is dead or could be folded.
void __wrap_do_deadcode_BB() {}
void* __wrap_cprop_BB(void* block) { return block; }

/// A first clean-up of each piece of a block, needed where pieces are joined over jumps (--vex-guest-chase), which the
/// counter does not (main.cc). The full optimisation does all of it again, but needs the block flat.
IRSB* __wrap_do_minimal_initial_iropt_BB(IRSB* block) { return block; }
/// The full optimisation, which flattens a block first where the guest is named a PowerPC, and does nothing else
/// for that: so it is in Valgrind 3.16 to 3.25.
IRSB* __wrap_do_iropt_BB(IRSB* block, SpecialisesHelpers specialises, NeedsExactState needs, VexRegisterUpdates updates,
                         Addr address, VexArch /*guest*/) {
  drop_empty_statements(block);
  return __real_do_iropt_BB(block, specialises, needs, updates, address, VexArchPPC64);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
