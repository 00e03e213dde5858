#include "commits/code_digest.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/digest.h"

namespace tally {
namespace {

constexpr std::string_view kSnippet = "tally_";
constexpr std::size_t kKeyDigits = 32;

template <typename T>
std::optional<T> value_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// The function of a snippet without its cache key; other names as they are.
std::string_view without_key(std::string_view name) {
  const std::string_view key = name.starts_with(kSnippet) ? name.substr(kSnippet.size()) : std::string_view();
  const bool is_key = key.size() == kKeyDigits && key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_key ? kSnippet : name;
}

class Sections {
 public:
  /// Nothing where the bytes are no such file.
  static std::optional<Sections> read(std::string_view elf) {
    const auto header = value_at<Elf64_Ehdr>(elf, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
      return std::nullopt;
    Sections sections(elf);
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      const auto section = value_at<Elf64_Shdr>(elf, header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section || (section->sh_type != SHT_NOBITS && section->sh_offset > elf.size())) return std::nullopt;
      sections.all_.push_back(*section);
    }
    if (sections.all_.empty()) return std::nullopt;
    return sections;
  }

  [[nodiscard]] std::string digest() const {
    Digest all;
    for (const Elf64_Shdr& section : all_) {
      if ((section.sh_flags & SHF_ALLOC) == 0) continue;
      if (section.sh_type == SHT_RELA) {
        add_relocations(section, all);
        continue;
      }
      const bool is_code_or_data = section.sh_type == SHT_PROGBITS || section.sh_type == SHT_INIT_ARRAY ||
                                   section.sh_type == SHT_FINI_ARRAY || section.sh_type == SHT_RELR;
      if (!is_code_or_data && section.sh_type != SHT_NOBITS) continue;
      all.add(fmt::format("{:x} {:x}", section.sh_addr, section.sh_size));
      if (is_code_or_data) all.add(elf_.substr(section.sh_offset, section.sh_size));
    }
    return all.hex();
  }

 private:
  explicit Sections(std::string_view elf) : elf_(elf) {}

  void add_relocations(const Elf64_Shdr& section, Digest& all) const {
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
      const auto one = value_at<Elf64_Rela>(elf_, section.sh_offset + at);
      if (!one) return;
      all.add(fmt::format("{:x} {:x} {:x}", one->r_offset, ELF64_R_TYPE(one->r_info), one->r_addend));
      all.add(without_key(symbol(section.sh_link, ELF64_R_SYM(one->r_info))));
    }
  }

  [[nodiscard]] std::string_view symbol(std::uint64_t table, std::uint64_t index) const {
    if (table >= all_.size() || all_[table].sh_link >= all_.size()) return {};
    const auto found = value_at<Elf64_Sym>(elf_, all_[table].sh_offset + index * sizeof(Elf64_Sym));
    const std::uint64_t name = all_[all_[table].sh_link].sh_offset + (found ? found->st_name : 0);
    if (!found || name >= elf_.size()) return {};
    const std::string_view rest = elf_.substr(name);
    return rest.substr(0, rest.find('\0'));
  }

  std::string_view elf_;
  std::vector<Elf64_Shdr> all_;
};

}  // namespace

std::string code_digest(std::string_view elf) {
  const auto sections = Sections::read(elf);
  return sections ? sections->digest() : digest(elf);
}

}  // namespace tally
