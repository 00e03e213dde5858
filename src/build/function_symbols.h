/// Symbols for libraries that were stripped, from their unwinding tables, where Valgrind finds them.
///
/// Callgrind names code without a symbol by its address, block by block, and its lists of names are made for fewer. On
/// Debian 13, libtorch_cpu has 339,512 functions and 26,658 symbols; a run of one C++ case took 41 and 45 s of
/// processor time without the rest, and 21 and 22 s with it. Counts do not change.
///
/// Source of the formats: the ELF specification, the Linux Standard Base on .eh_frame_hdr, and GDB's manual on separate
/// debug files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tally {

/// A debug object for an ELF file of x86-64: its build ID, its sections without their content, and a local symbol for
/// each function that .eh_frame describes and .dynsym does not have. Such a symbol is called by its address,
/// "0x6e60ac0", as Callgrind would, and the object has the checksum that the library's debug link wants. Empty where
/// the library has a symbol table of its own, no build ID or debug link by which a debug object is found, or tables in
/// a form that this does not know.
std::string function_symbols(std::string_view library);

/// Makes those of `libraries` under `folder`, for Valgrind's --extra-debuginfo-path, where they are not there yet. An
/// error (io): one cannot be written.
Status make_function_symbols(std::span<const std::string> libraries, const std::filesystem::path& folder);

}  // namespace tally
