/// Finds the dynamic loader that starts a program, and what it will load.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tally {

/// What an ELF program of this machine's word size asks for (PT_INTERP); empty where it asks for none, or is no such
/// program.
std::string_view program_interpreter(std::string_view elf);

/// Whether it asks for a shared library of this name, or one that begins so (DT_NEEDED): "libbenchmark.so".
bool needs_library(std::string_view elf, std::string_view name);

/// Whether it defines a function whose (mangled) name begins so, as its symbol table says; a stripped program has none.
bool defines_function(std::string_view elf, std::string_view prefix);

/// The folders of an ELF file's run path ("a:b"), as they are where the file lies in `folder`; empty where none of them
/// is defined relative to that ($ORIGIN). A loader that is started by itself takes the place that it was given for
/// it.
std::string path_from_origin(std::string_view elf, std::string_view folder);

/// The loader of a file. An error where the file cannot be read, has none, or names one that cannot be executed.
Result<std::string> loader_of(const std::string& program);

}  // namespace tally
