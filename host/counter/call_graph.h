/// The functions that are followed, and the calls between them, with what they cost since the last dump.
///
/// Owns them, from reserve_call_graph() on. Numbers are those of one process, in the order in which they came.
#pragma once

#include "valgrind.h"

namespace tally::counter {

struct Function {
  const HChar* object = nullptr;
  const HChar* name = nullptr;
  Bool is_nameless = False;
  UInt most_callers = 0;     ///< By which it is separated.
  UInt without_callers = 0;  ///< The number of the function whoever calls it; its own where it is that.
  UInt callers = 0;          ///< So many it is separated by, from the nearest on;
  UInt first_caller = 0;     ///< they lie here (caller()).
  ULong cost = 0;            ///< Its own.
};

struct Arc {
  UInt caller = 0;
  UInt callee = 0;
  ULong calls = 0;
  ULong cost = 0;  ///< With all that was called.
};

/// The function that calls those that following began in.
inline constexpr UInt kOutside = 0;

void reserve_call_graph();
bool has_call_graph();

/// Those of Python that run its frames are separated by their callers from here on (protocol/python_contexts.h).
void separate_python();
bool separates_python();
inline constexpr UInt kMostCallers = 64;

/// Object and name are kept (names.h): one text has one address.
UInt function_with(const HChar* object, const HChar* name, Bool is_nameless);
/// A function where these have called it, the nearest first; none of them is separated itself.
UInt function_called_by(UInt function, const UInt* callers, UInt count);
Function& function(UInt number);

UInt arc_between(UInt caller, UInt callee);
Arc& arc(UInt number);

/// Each function with its cost and its calls, as Callgrind has them.
void write_call_graph(VgFile* file);
void zero_call_graph();

}  // namespace tally::counter
