/// A pool of functions that do nothing but call the interpreter's evaluator, each under a symbol of its own:
/// tally_py_0, tally_py_1, … So a profiler that knows only symbols separates what the evaluator did on whose
/// behalf.
#pragma once

#include <cstddef>

namespace tally::host::python_functions {

/// The C API's _PyFrameEvalFunction, its thread state and frame unseen.
using Evaluator = void* (*)(void* thread, void* frame, int throwing);

/// The one with this number; below protocol::kMostPythonCalls. Each takes the same number of instructions.
Evaluator trampoline(std::size_t number);

/// What all of them call.
void set_evaluator(Evaluator evaluator);

}  // namespace tally::host::python_functions
