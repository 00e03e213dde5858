/// CPython's functions that are separated by their callers where Python functions are looked for: a dump names them
/// "function'caller'caller's caller". Needs no C library.
#pragma once

namespace tally::protocol {

/// CPython's function that runs a frame.
inline constexpr char kPythonEvaluator[] = "_PyEval_EvalFrameDefault";
/// Begins the names of what the observer of Python calls it through (host/python_functions).
inline constexpr char kPythonTrampoline[] = "tally_py_";

/// Patterns: what lies between the evaluator and the function that Python code calls, and what it keeps its frames
/// with. It is counted to the Python function.
inline constexpr const char* kPythonPlumbing[] = {"PyObject_Vectorcall*",   "_PyObject_Vectorcall*",
                                                  "PyObject_Call*",         "_PyObject_Call*",
                                                  "PyVectorcall_*",         "_PyVectorcall_*",
                                                  "_PyObject_MakeTpCall*",  "_PyFunction_Vectorcall*",
                                                  "_PyEval_Vector*",        "cfunction_call*",
                                                  "cfunction_vectorcall*",  "method_vectorcall*",
                                                  "vectorcall_*",           "_PyFrame_*",
                                                  "_PyEvalFrame*",          "_PyThreadState_*Frame",
                                                  "_PyEval_EvalCode*",      "function_code_fastcall",
                                                  "initialize_locals",      "_Py_Specialize_*",
                                                  "_Py_CheckFunctionResult"};

/// How many callers are in a name: at most so many.
inline constexpr unsigned kEvaluatorCallers = 2;
inline constexpr unsigned kTrampolineCallers = 48;
inline constexpr unsigned kPlumbingCallers = 8;
inline constexpr char kCallerFollows = '\'';

}  // namespace tally::protocol
