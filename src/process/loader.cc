#include "process/loader.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "base/files.h"

namespace tally {
namespace {

template <typename T>
bool read_at(std::string_view bytes, std::size_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

}  // namespace

std::string_view program_interpreter(std::string_view elf) {
  ElfW(Ehdr) header;
  if (!elf.starts_with(ELFMAG) || !read_at(elf, 0, header)) return {};
  if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (!read_at(elf, header.e_phoff + i * sizeof part, part)) return {};
    if (part.p_type != PT_INTERP) continue;
    if (part.p_offset > elf.size() || elf.size() - part.p_offset < part.p_filesz) return {};
    const std::string_view path = elf.substr(part.p_offset, part.p_filesz);
    return path.substr(0, path.find('\0'));
  }
  return {};
}

Result<std::string> loader_of(const std::string& program) {
  const Result<std::string> bytes = read_file(program);
  if (!bytes) return std::unexpected(bytes.error());
  std::string loader(program_interpreter(*bytes));
  if (loader.empty()) return fail(ErrorKind::failed, "it names no dynamic loader (PT_INTERP)", program);
  if (::access(loader.c_str(), X_OK) != 0) {
    return std::unexpected(errno_error("execute the dynamic loader that " + program + " names", loader));
  }
  return loader;
}

}  // namespace tally
