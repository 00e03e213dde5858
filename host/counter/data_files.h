/// Where files that the guest maps to read lie: apart from programs and heaps.
///
/// The loader's list of libraries, a locale, a table of conversions: each machine has them in another size. Valgrind
/// maps upwards and into the first gap, so a longer list moved every library and every piece of the heap that came
/// after it. Programs and libraries (ELF files) lie where Valgrind puts them, one after the other.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Before and after each system call of the guest's.
void look_for_data_file(UInt number, const UWord* arguments);
void end_of_data_file(UInt number);

}  // namespace tally::counter
