#include "process/loader.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

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

namespace {

/// The parts of an ELF file as its loader sees them.
std::vector<ElfW(Phdr)> parts_of(std::string_view elf) {
  ElfW(Ehdr) header;
  std::vector<ElfW(Phdr)> parts;
  if (!elf.starts_with(ELFMAG) || !read_at(elf, 0, header)) return parts;
  if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) return parts;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (!read_at(elf, header.e_phoff + i * sizeof part, part)) break;
    parts.push_back(part);
  }
  return parts;
}

/// Where in the file an address of memory lies; its size where it lies nowhere, or beyond its end.
std::size_t offset_of(const std::vector<ElfW(Phdr)>& parts, std::size_t address, std::size_t size) {
  for (const ElfW(Phdr) & part : parts) {
    if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
      return std::min<std::size_t>(address - part.p_vaddr + part.p_offset, size);
  }
  return size;
}

/// The texts that a file's dynamic section has under this tag.
std::vector<std::string_view> dynamic_texts(std::string_view elf, ElfW(Sxword) tag) {
  const std::vector<ElfW(Phdr)> parts = parts_of(elf);
  const auto dynamic = std::ranges::find(parts, static_cast<ElfW(Word)>(PT_DYNAMIC), &ElfW(Phdr)::p_type);
  std::vector<std::string_view> found;
  if (dynamic == parts.end()) return found;
  std::vector<std::size_t> places;
  std::size_t texts = elf.size();
  ElfW(Dyn) entry;
  for (std::size_t i = 0; i < dynamic->p_filesz / sizeof entry; ++i) {
    if (!read_at(elf, dynamic->p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == tag) places.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) texts = offset_of(parts, entry.d_un.d_ptr, elf.size());
  }
  for (const std::size_t at : places) {
    if (at >= elf.size() - texts) continue;
    const std::string_view text = elf.substr(texts + at);
    found.push_back(text.substr(0, text.find('\0')));
  }
  return found;
}

}  // namespace

bool needs_library(std::string_view elf, std::string_view name) {
  return std::ranges::any_of(dynamic_texts(elf, DT_NEEDED),
                             [&](std::string_view needed) { return needed.starts_with(name); });
}

std::string path_from_origin(std::string_view elf, std::string_view folder) {
  std::vector<std::string_view> paths = dynamic_texts(elf, DT_RUNPATH);
  if (paths.empty()) paths = dynamic_texts(elf, DT_RPATH);
  std::string expanded(paths.empty() ? std::string_view() : paths.front());
  bool has_origin = false;
  for (const std::string_view token : {"$ORIGIN", "${ORIGIN}"}) {
    for (std::size_t at = 0; (at = expanded.find(token, at)) != std::string::npos; at += folder.size()) {
      expanded.replace(at, token.size(), folder);
      has_origin = true;
    }
  }
  return has_origin ? expanded : std::string();
}

bool defines_function(std::string_view elf, std::string_view prefix) {
  ElfW(Ehdr) header;
  if (parts_of(elf).empty() || !read_at(elf, 0, header)) return false;
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    ElfW(Shdr) table;
    ElfW(Shdr) texts;
    if (!read_at(elf, header.e_shoff + s * sizeof table, table)) return false;
    if (table.sh_type != SHT_SYMTAB || !read_at(elf, header.e_shoff + table.sh_link * sizeof texts, texts)) continue;
    ElfW(Sym) symbol;
    for (std::size_t i = 0; i < table.sh_size / sizeof symbol; ++i) {
      if (!read_at(elf, table.sh_offset + i * sizeof symbol, symbol)) break;
      const bool function = (symbol.st_info & 0xfU) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
      if (function && texts.sh_offset < elf.size() && symbol.st_name < elf.size() - texts.sh_offset &&
          elf.substr(texts.sh_offset + symbol.st_name).starts_with(prefix))
        return true;
    }
  }
  return false;
}

Result<std::string> loader_of(const std::string& program) {
  const Result<std::string> bytes = read_file(program);
  if (!bytes) return std::unexpected(bytes.error());
  std::string loader(program_interpreter(*bytes));
  if (loader.empty()) {
    return fail(ErrorKind::failed, "it names no dynamic loader (PT_INTERP)", program,
                "link it without -static and -static-pie");
  }
  if (::access(loader.c_str(), X_OK) != 0) {
    return std::unexpected(errno_error("execute the dynamic loader that " + program + " names", loader));
  }
  return loader;
}

}  // namespace tally
