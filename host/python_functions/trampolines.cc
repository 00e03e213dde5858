#include "trampolines.h"

#include "protocol/python_calls.h"

extern "C" {
extern __attribute__((visibility("hidden"))) char tally_trampolines[];
__attribute__((visibility("hidden"))) void* (*tally_evaluator)(void*, void*, int) = nullptr;
}

// The assembler counts, because it makes the names. The reader of a profile knows trampolines by them, so a release
// keeps this library's symbols (tools/install_release.sh).
static_assert(tally::protocol::kMostPythonCalls == 8192);
// One entry for unwinding serves all of them, as they are while they call: one for each took 58 KB of the wheel.
asm(R"(
  .altmacro
  .macro tally_trampoline number
  .p2align 4
  .type tally_py_\number, @function
tally_py_\number:
  sub $8, %rsp
  call *tally_evaluator(%rip)
  add $8, %rsp
  ret
  .size tally_py_\number, . - tally_py_\number
  .endm

  .text
  .p2align 4
  .globl tally_trampolines
  .hidden tally_trampolines
tally_trampolines:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  .set tally_number, 0
  .rept 8192
  tally_trampoline %tally_number
  .set tally_number, tally_number + 1
  .endr
  .cfi_endproc
  .noaltmacro
)");

namespace tally::host::python_functions {

namespace {
constexpr std::size_t kSize = 16;
}

Evaluator trampoline(std::size_t number) { return reinterpret_cast<Evaluator>(tally_trampolines + kSize * number); }

void set_evaluator(Evaluator evaluator) { tally_evaluator = evaluator; }

}  // namespace tally::host::python_functions
