/// What the stages of the Python host's start need of C (tally_start.py): where the next blocks come from, and tables
/// that have grown already.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tally::host {

/// To the module: its functions. Not 0: an error.
int add_start_parts(PyObject* module);

/// Where the counter writes a trace of allocations: CPython's are in it.
void trace_allocators();

/// Settles CPython's pools before a region (RegionHooks::settle); null until a stage has been sealed.
using SettlePools = void (*)(void* context, bool again);
SettlePools settle_pools();

}  // namespace tally::host
