#include "build/function_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "base/files.h"
#include "base/unique_fd.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// Zero where it would end behind the text: no table then holds what it should.
template <typename Value>
Value value_at(std::string_view text, std::uint64_t offset) {
  Value value{};
  if (offset <= text.size() && text.size() - offset >= sizeof value)
    std::memcpy(&value, text.data() + offset, sizeof value);
  return value;
}

template <typename Value>
void append(std::string& text, const Value& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Elf {
 public:
  static std::optional<Elf> parse(std::string_view bytes) {
    Elf elf(bytes);
    const Elf64_Ehdr& head = elf.head_;
    const bool known = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                       head.e_machine == EM_X86_64 && head.e_shentsize == sizeof(Elf64_Shdr) &&
                       head.e_phoff == sizeof(Elf64_Ehdr);
    if (!known) return std::nullopt;
    for (std::size_t i = 0; i < head.e_shnum; ++i)
      elf.sections_.push_back(value_at<Elf64_Shdr>(bytes, head.e_shoff + i * sizeof(Elf64_Shdr)));
    if (head.e_shstrndx >= elf.sections_.size()) return std::nullopt;
    elf.names_ = elf.content(elf.sections_[head.e_shstrndx]);
    return elf;
  }

  [[nodiscard]] const Elf64_Ehdr& head() const { return head_; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  [[nodiscard]] std::string_view names() const { return names_; }
  [[nodiscard]] std::string_view program_headers() const {
    return part(head_.e_phoff, std::uint64_t{head_.e_phnum} * head_.e_phentsize);
  }

  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      const std::uint32_t at = sections_[i].sh_name;
      if (at < names_.size() && names_.substr(at, names_.find('\0', at) - at) == name) return i;
    }
    return 0;
  }
  [[nodiscard]] std::string_view content(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view() : part(section.sh_offset, section.sh_size);
  }
  [[nodiscard]] std::string_view content(std::string_view name) const {
    const std::size_t index = index_of(name);
    return index == 0 ? std::string_view() : content(sections_[index]);
  }

 private:
  explicit Elf(std::string_view bytes) : bytes_(bytes), head_(value_at<Elf64_Ehdr>(bytes, 0)) {}

  [[nodiscard]] std::string_view part(std::uint64_t offset, std::uint64_t size) const {
    return offset > bytes_.size() || size > bytes_.size() - offset ? std::string_view() : bytes_.substr(offset, size);
  }

  std::string_view bytes_;
  Elf64_Ehdr head_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
};

struct Function {
  std::uint64_t address;
  std::uint64_t size;
};

/// Those that the search table of .eh_frame_hdr lists, in the one form that linkers write.
std::vector<Function> described_functions(const Elf& elf) {
  constexpr std::string_view kForm("\x01\x1b\x03\x3b", 4);
  constexpr std::uint64_t kTable = 12;
  const std::size_t table_index = elf.index_of(".eh_frame_hdr");
  const std::size_t frame_index = elf.index_of(".eh_frame");
  const std::string_view table = elf.content(".eh_frame_hdr");
  const std::string_view frames = elf.content(".eh_frame");
  std::vector<Function> functions;
  if (!table.starts_with(kForm) || frames.empty()) return functions;
  const std::uint64_t table_address = elf.sections()[table_index].sh_addr;
  const std::uint64_t frames_address = elf.sections()[frame_index].sh_addr;
  const auto count = value_at<std::uint32_t>(table, 8);
  for (std::uint64_t i = 0; i < count && kTable + 8 * i + 8 <= table.size(); ++i) {
    const std::uint64_t address = table_address + value_at<std::int32_t>(table, kTable + 8 * i);
    // Length, distance to the common part, where the function begins (from here), how long it is.
    const std::uint64_t entry = table_address + value_at<std::int32_t>(table, kTable + 8 * i + 4) - frames_address;
    const std::uint64_t begins = frames_address + entry + 8 + value_at<std::int32_t>(frames, entry + 8);
    if (begins == address) functions.push_back({address, value_at<std::uint32_t>(frames, entry + 12)});
  }
  return functions;
}

std::set<std::uint64_t> named_addresses(const Elf& elf) {
  const std::string_view symbols = elf.content(".dynsym");
  std::set<std::uint64_t> addresses;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = value_at<Elf64_Sym>(symbols, at);
    if (symbol.st_shndx != SHN_UNDEF) addresses.insert(symbol.st_value);
  }
  return addresses;
}

struct Symbols {
  std::string table;
  std::string names;
};

Symbols nameless_functions(const Elf& elf, std::size_t text_index) {
  const Elf64_Shdr& text = elf.sections()[text_index];
  const std::set<std::uint64_t> named = named_addresses(elf);
  Symbols out{.table = {}, .names = std::string(1, '\0')};
  append(out.table, Elf64_Sym{});
  for (const Function& one : described_functions(elf)) {
    if (one.address < text.sh_addr || one.address - text.sh_addr >= text.sh_size || named.contains(one.address))
      continue;
    append(out.table, Elf64_Sym{.st_name = static_cast<Elf64_Word>(out.names.size()),
                                .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                                .st_other = STV_DEFAULT,
                                .st_shndx = static_cast<Elf64_Section>(text_index),
                                .st_value = one.address,
                                .st_size = one.size});
    out.names += fmt::format("{:#x}", one.address);
    out.names += '\0';
  }
  return out;
}

/// Sections as they are in memory, all without content but the note with the build ID.
std::string debug_object(const Elf& elf, const Symbols& symbols, std::size_t note_index) {
  std::string object(sizeof(Elf64_Ehdr), '\0');
  object += elf.program_headers();
  const auto add = [&object](std::string_view content) {
    object.resize((object.size() + 7) / 8 * 8);
    object += content;
    return object.size() - content.size();
  };
  std::vector<Elf64_Shdr> sections = elf.sections();
  const Elf64_Off note = add(elf.content(sections[note_index]));
  for (std::size_t i = 1; i < sections.size(); ++i) {
    Elf64_Shdr& one = sections[i];
    one.sh_offset = note;
    if (i == note_index) continue;
    one.sh_type = SHT_NOBITS;
    if ((one.sh_flags & SHF_ALLOC) == 0) one.sh_size = 0;
  }
  std::string names(elf.names());
  const auto named = [&names](std::string_view name) {
    names += name;
    names += '\0';
    return static_cast<Elf64_Word>(names.size() - name.size() - 1);
  };
  const auto links_to = static_cast<Elf64_Word>(sections.size() + 1);
  const auto symbol_count = static_cast<Elf64_Word>(symbols.table.size() / sizeof(Elf64_Sym));
  Elf64_Shdr table{.sh_name = named(".symtab"),
                   .sh_type = SHT_SYMTAB,
                   .sh_flags = 0,
                   .sh_addr = 0,
                   .sh_offset = add(symbols.table),
                   .sh_size = symbols.table.size(),
                   .sh_link = links_to,
                   .sh_info = symbol_count,
                   .sh_addralign = 8,
                   .sh_entsize = sizeof(Elf64_Sym)};
  Elf64_Shdr strings{};
  strings.sh_name = named(".strtab");
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = add(symbols.names);
  strings.sh_size = symbols.names.size();
  strings.sh_addralign = 1;
  sections.push_back(table);
  sections.push_back(strings);
  Elf64_Shdr& of_names = sections[elf.head().e_shstrndx];
  of_names.sh_type = SHT_STRTAB;
  of_names.sh_offset = add(names);
  of_names.sh_size = names.size();
  Elf64_Ehdr head = elf.head();
  head.e_shoff = add({});
  head.e_shnum = static_cast<Elf64_Half>(sections.size());
  for (const Elf64_Shdr& one : sections) append(object, one);
  std::memcpy(object.data(), &head, sizeof head);
  return object;
}

/// A file in memory for as long as this lives; only what is looked at is read.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info{};
    if (!file || ::fstat(file.get(), &info) != 0 || info.st_size == 0) return;
    const auto size = static_cast<std::size_t>(info.st_size);
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (at != MAP_FAILED) bytes_ = {static_cast<const char*>(at), size};
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

std::string_view build_id(std::string_view file) {
  const auto elf = Elf::parse(file);
  return elf ? elf->content(".note.gnu.build-id") : std::string_view();
}

/// What a library says of its debug object: the file's name (empty: there is none) and the CRC-32 of its content.
struct DebugLink {
  std::string_view name;
  std::uint32_t checksum = 0;
};

DebugLink debug_link(const Elf& elf) {
  const std::string_view link = elf.content(".gnu_debuglink");
  if (link.size() < sizeof(std::uint32_t)) return {};
  return {link.substr(0, link.find('\0')), value_at<std::uint32_t>(link, link.size() - sizeof(std::uint32_t))};
}

/// Adds four bytes to a text, after which its CRC-32 is `wanted`. Valgrind goes by that sum alone.
void give_checksum(std::string& text, std::uint32_t wanted) {
  const z_crc_t* const table = get_crc_table();
  const auto bytes = reinterpret_cast<const Bytef*>(text.data());
  const auto before = ~static_cast<std::uint32_t>(crc32_z(0, bytes, text.size()));
  // From the register that comes out back to the four bytes that go in; the high byte of each entry is its own.
  std::uint32_t after = ~wanted;
  for (int i = 0; i < 4; ++i) {
    const auto* const entry =
        std::find_if(table, table + 256, [&](z_crc_t value) { return value >> 24 == after >> 24; });
    after = static_cast<std::uint32_t>((after ^ *entry) << 8) | static_cast<std::uint32_t>(entry - table);
  }
  append(text, before ^ after);
}

}  // namespace

std::string function_symbols(std::string_view library) {
  const auto elf = Elf::parse(library);
  if (!elf || elf->index_of(".symtab") != 0) return {};
  const std::size_t text = elf->index_of(".text");
  const std::size_t note = elf->index_of(".note.gnu.build-id");
  if (text == 0 || note == 0) return {};
  const DebugLink link = debug_link(*elf);
  const Symbols symbols = nameless_functions(*elf, text);
  if (link.name.empty() || symbols.table.size() == sizeof(Elf64_Sym)) return {};
  std::string object = debug_object(*elf, symbols, note);
  give_checksum(object, link.checksum);
  return object;
}

Status make_function_symbols(std::span<const std::string> libraries, const fs::path& folder) {
  for (const std::string& name : libraries) {
    std::error_code code;
    const fs::path library = fs::canonical(name, code);
    if (code) continue;
    const MappedFile file(library);
    const auto elf = Elf::parse(file.bytes());
    const DebugLink link = elf ? debug_link(*elf) : DebugLink();
    if (link.name.empty()) continue;
    const fs::path made = folder / library.parent_path().relative_path() / link.name;
    if (build_id(MappedFile(made).bytes()) == build_id(file.bytes())) continue;
    const std::string symbols = function_symbols(file.bytes());
    if (symbols.empty()) continue;
    if (Status written = write_file(made, symbols); !written) return written;
  }
  return {};
}

}  // namespace tally
