#include "library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tally::preload {
namespace {

/// jmp *0(%rip), and the address behind it.
constexpr std::size_t kJump = 14;
using Bytes = std::array<unsigned char, kJump>;

struct Taken {
  std::string name;
  unsigned char* at = nullptr;
  Bytes own{};
  Bytes jump{};
  bool given_back = false;
};

/// Never destroyed: the program's static objects may call what is taken over, after everything here is gone.
struct Program {
  std::map<std::string, void*, std::less<>> functions;  ///< Of Google Benchmark, by their mangled names.
  std::vector<Taken> taken;
};
Program& program_here() {
  static auto* const program = new Program;
  return *program;
}

constexpr std::size_t kNone = SIZE_MAX;

[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr,
               "tallymark: Google Benchmark is linked statically into this program, and %s: link libbenchmark.so, or "
               "build it with tallymark::benchmark\n",
               why);
  ::_exit(2);
}

/// The program's file as the memory of this process.
std::string_view mapped_file(const char* path) {
  const int file = ::open(std::strchr(path, '/') != nullptr ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || ::fstat(file, &status) != 0 || status.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  return start == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(start), size);
}

template <typename T>
const T* at(std::string_view bytes, std::size_t offset, std::size_t count = 1) {
  if (offset > bytes.size() || (bytes.size() - offset) / sizeof(T) < count) return nullptr;
  return reinterpret_cast<const T*>(bytes.data() + offset);
}

const ElfW(Ehdr) * header_of(std::string_view file) {
  const auto* const header = at<ElfW(Ehdr)>(file, 0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return nullptr;
  return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 ? header : nullptr;
}

void jump_from(void* from, void* to, std::size_t size, const std::string& name) {
  for (const Taken& one : program_here().taken)
    if (one.at == from) return;  // two names of one function
  if (size < kJump) refuse(("its " + name + " is too short to be taken over").c_str());
  Taken taken{.name = name, .at = static_cast<unsigned char*>(from)};
  std::memcpy(taken.own.data(), from, kJump);
  taken.jump = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(taken.jump.data() + 6, static_cast<const void*>(&to), sizeof to);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(from) & ~(page - 1);
  const std::size_t length = reinterpret_cast<std::uintptr_t>(from) + kJump - first;
  auto* const start = static_cast<unsigned char*>(from) - (reinterpret_cast<std::uintptr_t>(from) - first);
  if (::mprotect(start, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    refuse("this system does not let a process change its own code");
  program_here().taken.push_back(taken);
}

void write(const Taken& one, const Bytes& bytes) {
  std::memcpy(one.at, bytes.data(), bytes.size());
  // Valgrind looks for changed code only where it was not a file's.
  VALGRIND_DISCARD_TRANSLATIONS(one.at, bytes.size());
}

/// This library, for its own exported functions.
void* own_library() {
  Dl_info info{};
  static const int here = 0;
  if (::dladdr(&here, &info) == 0) return nullptr;
  return ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

/// What this library exports under the name, and not what another does that it was linked with.
void* own_function(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  Dl_info mine{};
  Dl_info its{};
  static const int here = 0;
  if (found == nullptr || ::dladdr(&here, &mine) == 0 || ::dladdr(found, &its) == 0) return nullptr;
  return mine.dli_fbase == its.dli_fbase ? found : nullptr;
}

/// Bytes from each function to the next: a short one is followed by padding.
class Room {
 public:
  void add(std::uintptr_t start) { starts_.insert(start); }
  [[nodiscard]] std::size_t at(std::uintptr_t start) const {
    const auto next = starts_.upper_bound(start);
    return next == starts_.end() ? 0 : *next - start;
  }

 private:
  std::set<std::uintptr_t> starts_;
};

void take_symbols(std::string_view file, const ElfW(Ehdr) & header, std::uintptr_t base) {
  const auto* const sections = at<ElfW(Shdr)>(file, header.e_shoff, header.e_shnum);
  if (sections == nullptr) return;
  void* const library = own_library();
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB || sections[s].sh_link >= header.e_shnum) continue;
    const std::size_t count = sections[s].sh_size / sizeof(ElfW(Sym));
    const auto* const symbols = at<ElfW(Sym)>(file, sections[s].sh_offset, count);
    const ElfW(Shdr)& texts = sections[sections[s].sh_link];
    if (symbols == nullptr || texts.sh_offset > file.size()) continue;
    const auto text_of = [&](const ElfW(Sym) & symbol) {
      const bool inside = symbol.st_name < file.size() - texts.sh_offset;
      return std::string(inside ? file.data() + texts.sh_offset + symbol.st_name : "");
    };
    Room room;
    bool compiled_alone = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (symbols[i].st_shndx != SHN_UNDEF) room.add(symbols[i].st_value);
      const bool source = (symbols[i].st_info & 0xfU) == STT_FILE;
      compiled_alone = compiled_alone || (source && text_of(symbols[i]) == "benchmark.cc");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool function = (symbols[i].st_info & 0xfU) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF;
      const std::string name = function ? text_of(symbols[i]) : "";
      if (!name.starts_with("_ZN9benchmark")) continue;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the program's.
      void* const own = reinterpret_cast<void*>(base + symbols[i].st_value);
      program_here().functions.emplace(name, own);
      void* const ours = own_function(library, name.c_str());
      if (ours == nullptr) continue;
      // Else parts of its functions may be anywhere in the program: in a loop that is to be paused, say.
      if (!compiled_alone)
        refuse("it was optimised together with the program (-flto), or its symbol table has been thinned out");
      jump_from(own, ours, std::max<std::size_t>(symbols[i].st_size, room.at(symbols[i].st_value)), name);
    }
  }
}

int first_base(dl_phdr_info* info, std::size_t /*size*/, void* base) {
  *static_cast<std::uintptr_t*>(base) = info->dlpi_addr;
  return 1;
}

std::size_t place_of(const void* function) {
  const std::vector<Taken>& taken = program_here().taken;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i].at == function) return i;
  return kNone;
}

}  // namespace

void take_over(const char* program) {
  const std::string_view file = mapped_file(program);
  const auto* const header = header_of(file);
  std::uintptr_t base = 0;
  ::dl_iterate_phdr(first_base, &base);
  // Whether that file is what runs here.
  if (header != nullptr && base + header->e_entry == ::getauxval(AT_ENTRY)) take_symbols(file, *header, base);
  if (!file.empty()) ::munmap(const_cast<char*>(file.data()), file.size());
  for (const Taken& one : program_here().taken) write(one, one.jump);
}

void* find(const char* name) {
  const auto known = program_here().functions.find(std::string_view(name));
  return known != program_here().functions.end() ? known->second : ::dlsym(RTLD_NEXT, name);
}

Untaken::Untaken(void* function) : place_(place_of(function)) {
  if (place_ != kNone) write(program_here().taken[place_], program_here().taken[place_].own);
}

Untaken::~Untaken() {
  if (place_ == kNone) return;
  const Taken& one = program_here().taken[place_];
  if (!one.given_back) write(one, one.jump);
}

void give_back(const char* prefix) {
  for (Taken& one : program_here().taken) {
    if (!one.name.starts_with(prefix)) continue;
    write(one, one.own);
    one.given_back = true;
  }
}

void take_again(const char* prefix) {
  for (Taken& one : program_here().taken) {
    if (!one.name.starts_with(prefix)) continue;
    write(one, one.jump);
    one.given_back = false;
  }
}

}  // namespace tally::preload
