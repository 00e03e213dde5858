/// What Valgrind's core does for all tools, and the counter goes without: the linker takes these for the core's own
/// (--wrap). A host that imports PyTorch starts in a sixth less time for it, and faults in fewer pages.
///
/// Names and purposes are those of Valgrind's sources (coregrind/m_debuginfo/, VEX/priv/main_main.c and ir_opt.c);
/// arguments that are not looked at are left out, which the calling convention allows.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker asks for these names
extern "C" {

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

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
