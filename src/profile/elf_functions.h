/// Names of functions by their addresses, from an ELF file's own symbols. Never touches files.
///
/// Source: the ELF specification, "Symbol Table".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

struct ElfFunction {
  std::string name;  ///< Empty: no symbol is known.
  std::uint64_t begins = 0;
};

/// For each of `addresses`, as the file counts them, the symbol of the function that holds it: of .symtab, else of
/// .dynsym. Without a name where none does, and for all where `elf` is no 64-bit ELF file.
std::vector<ElfFunction> functions_at(std::string_view elf, std::span<const std::uint64_t> addresses);

}  // namespace tally
