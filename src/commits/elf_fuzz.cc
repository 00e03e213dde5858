// Any bytes as a program or a library: each reader of ELF files ends, and reads nothing beyond them. (Names of
// functions: profile/elf_functions_fuzz.cc.)
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>

#include "build/function_symbols.h"
#include "commits/code_digest.h"
#include "process/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < sizeof(Elf64_Ehdr)) return 0;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::memcpy(bytes.data(), ELFMAG, SELFMAG);
  bytes[EI_CLASS] = ELFCLASS64;
  std::ignore = tally::code_digest(bytes);
  std::ignore = tally::function_symbols(bytes);
  std::ignore = tally::program_interpreter(bytes);
  std::ignore = tally::needs_library(bytes, "libbenchmark.so");
  std::ignore = tally::defines_function(bytes, "_ZN9benchmark");
  std::ignore = tally::path_from_origin(bytes, "/folder");
  return 0;
}
