#include "profile/elf_functions.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tally {
namespace {

/// A copy of what lies at `at`; all zero where the file ends before.
template <typename T>
T read(std::string_view elf, std::uint64_t at) {
  T value{};
  if (at <= elf.size() && elf.size() - at >= sizeof(T)) std::memcpy(&value, elf.data() + at, sizeof(T));
  return value;
}

std::string name_at(std::string_view elf, const Elf64_Shdr& strings, std::uint32_t offset) {
  if (strings.sh_offset > elf.size() || offset >= elf.size() - strings.sh_offset) return {};
  const std::string_view rest = elf.substr(strings.sh_offset + offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

/// One pass over a table that may have hundreds of thousands of symbols, for a few addresses.
void name_by(std::string_view elf, const Elf64_Shdr& table, const Elf64_Shdr& strings,
             std::span<const std::uint64_t> addresses, std::span<const std::size_t> order,
             std::vector<ElfFunction>& names) {
  for (std::uint64_t at = table.sh_offset;
       at + sizeof(Elf64_Sym) <= std::min<std::uint64_t>(table.sh_offset + table.sh_size, elf.size());
       at += sizeof(Elf64_Sym)) {
    const auto symbol = read<Elf64_Sym>(elf, at);
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    auto found = std::ranges::lower_bound(order, symbol.st_value, {}, [&](std::size_t i) { return addresses[i]; });
    for (; found != order.end() && addresses[*found] - symbol.st_value < symbol.st_size; ++found) {
      std::string name = name_at(elf, strings, symbol.st_name);
      ElfFunction& known = names[*found];  // of two names for one function, always the same
      if (known.name.empty() || name < known.name) known = {.name = std::move(name), .begins = symbol.st_value};
    }
  }
}

}  // namespace

std::vector<ElfFunction> functions_at(std::string_view elf, std::span<const std::uint64_t> addresses) {
  std::vector<ElfFunction> names(addresses.size());
  const auto header = read<Elf64_Ehdr>(elf, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return names;
  std::vector<std::size_t> order(addresses.size());
  std::iota(order.begin(), order.end(), 0UZ);
  std::ranges::sort(order, {}, [&](std::size_t i) { return addresses[i]; });
  const auto section = [&](std::size_t i) { return read<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr)); };
  for (const std::uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      const Elf64_Shdr table = section(i);
      if (table.sh_type != wanted) continue;
      name_by(elf, table, section(table.sh_link), addresses, order, names);
      return names;
    }
  }
  return names;
}

}  // namespace tally
