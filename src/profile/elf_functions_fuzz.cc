// Any bytes as an ELF file: of each address a function that holds it, or none.
#include <elf.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "profile/elf_functions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < sizeof(Elf64_Ehdr)) return 0;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::memcpy(bytes.data(), ELFMAG, SELFMAG);
  bytes[EI_CLASS] = ELFCLASS64;
  constexpr std::array<std::uint64_t, 4> kAddresses = {0, 0x1139, 0x1000, ~0UL};
  const auto functions = tally::functions_at(bytes, kAddresses);
  if (functions.size() != kAddresses.size()) std::abort();
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].name.empty() && functions[i].begins > kAddresses[i]) std::abort();
  }
  return 0;
}
