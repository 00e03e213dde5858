/// Found before Catch2's own header, which it includes: <tallymark/catch2.h> without an edit of the program.
#pragma GCC system_header  // #include_next is an extension
#include_next <catch.hpp>
#include "tallymark/catch2.h"
