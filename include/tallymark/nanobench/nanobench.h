/// Found before nanobench's own header, which it includes: <tallymark/nanobench.h> without an edit of the program.
#pragma GCC system_header  // #include_next is an extension
#ifndef TALLYMARK_NANOBENCH_H
#include "../nanobench.h"
#else
#include_next <nanobench.h>
#endif
