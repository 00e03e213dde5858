/// The table of one region's Python calls: who called whom, how often, and what they are.
///
/// Owns the mapped file and the references to the code objects that it has numbered: another at the address of one
/// that is gone would have its name. Code that is made anew under one name, line and file is one function. To be used
/// with the interpreter's lock held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host::python_functions {

/// How a frame entered its table, for when it leaves it.
struct Entry {
  std::uint32_t call = 0;          ///< The number of its trampoline.
  std::uint32_t function = 0;      ///< That it is of.
  std::uint32_t caller = 0;        ///< As in the table.
  std::uint64_t calls_before = 0;  ///< Of Python functions, by this thread.
};

/// A region's table begins empty, in a new file; `head` are its first lines. False: it cannot be made, and errno says
/// why.
bool begin_table(const char* path, const char* head, std::size_t length);

/// `code` is a new reference to the frame's code object, and taken.
Entry enter(void* code);
void leave(const Entry& entry);

}  // namespace tally::host::python_functions
