#include "callgrind.h"

#include <valgrind/callgrind.h>

namespace tally::host::callgrind {

bool running() { return RUNNING_ON_VALGRIND != 0; }
void start_instrumentation() { CALLGRIND_START_INSTRUMENTATION; }
void zero() { CALLGRIND_ZERO_STATS; }
void dump() { CALLGRIND_DUMP_STATS; }

}  // namespace tally::host::callgrind
