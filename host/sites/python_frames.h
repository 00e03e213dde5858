/// CPython seen from the recorder: its allocators, and the Python code that runs when they are asked.
///
/// By functions of its public API, looked up when a region begins: the recorder is preloaded into C++ hosts as well.
#pragma once

#include <cstdint>

namespace tally::host::sites {

/// At a region's start and end, with the interpreter's lock held; nothing where there is no interpreter.
void hook_python();
void unhook_python();

/// The innermost Python frame of this thread by a number, 0: there is none, or this thread may not ask.
std::uint32_t running_frame();

/// "LINE\tFUNCTION\tFILE"; null for 0.
const char* frame_text(std::uint32_t number);

}  // namespace tally::host::sites
