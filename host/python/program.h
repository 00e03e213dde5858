/// What the host of a program in Python needs besides a suite's: how heavy a call is, how often it is then to be
/// executed, what comes before and after each region, and what the program says of itself.
#pragma once

#include "phase.h"
#include "protocol/frame.h"

namespace tally::host {

/// To the module: its functions, and the descriptors. Not 0: an error.
int add_program_parts(PyObject* module);

/// The case that the functions are called in from here on.
void begin_program_case(Regions* regions, const protocol::Message& request);

/// Of an iterator that has something to prepare: the next region's first item. Null: there is no region, or an error.
PyObject* first_item(PhaseIterator* iterator);
PyObject* next_item(PhaseIterator* iterator);

/// A case, in a forked child: `context` is the Python function that runs it.
void run_python_case(void* context, Channel channel, const protocol::Message& request);

}  // namespace tally::host
