#include "symbols/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

// Elfutils would load libdebuginfod, and all of curl, into every process that has it inside, and ask servers where the
// environment names some. A measurement is not to wait for that: these take the place of its own.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
int __libdwfl_debuginfod_find_executable(Dwfl* /*dwfl*/, const unsigned char* /*id*/, std::size_t /*size*/) {
  return -1;
}
int __libdwfl_debuginfod_find_debuginfo(Dwfl* /*dwfl*/, const unsigned char* /*id*/, std::size_t /*size*/) {
  return -1;
}
void __libdwfl_debuginfod_end(void* /*client*/) {}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tally {

namespace {

struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

const Dwfl_Callbacks kCallbacks{.find_elf = dwfl_build_id_find_elf,
                                .find_debuginfo = dwfl_standard_find_debuginfo,
                                .section_address = dwfl_offline_section_address,
                                .debuginfo_path = nullptr};

/// The folder of a compilation before a name that is relative to it; without ways up.
std::string whole_name(const char* name, Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  const auto whole = std::filesystem::path(folder == nullptr ? "" : folder) / name;
  return whole.lexically_normal().string();
}

std::uint64_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? value : 0;
}

/// Where inlined code was called.
SourceLine call_of(Dwarf_Die* inlined, Dwarf_Die* unit) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint64_t file = number_of(inlined, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count) return {};
  const char* const name = dwarf_filesrc(files, file, nullptr, nullptr);
  if (name == nullptr) return {};
  return {.file = whole_name(name, unit), .line = number_of(inlined, DW_AT_call_line)};
}

bool may_hold_code(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
         tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/// What has no addresses of its own and may have functions inside.
bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/// Adds what holds the address, from without, by where the code lies. Not dwarf_getscopes(): what that reports of
/// inlined code goes by where it was written, and it does not look into namespaces, where clang -g1 has functions.
bool add_scopes(Dwarf_Die* outer, Dwarf_Addr address, std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die child;
  if (dwarf_child(outer, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if (may_hold_code(tag) && dwarf_haspc(&child, address) > 0) {
      scopes.push_back(child);
      Dwarf_Die inner = child;
      add_scopes(&inner, address, scopes);
      return true;
    }
    if (may_hold_functions(tag) && add_scopes(&child, address, scopes)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/// From within.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die* unit, Dwarf_Addr address) {
  std::vector<Dwarf_Die> scopes;
  add_scopes(unit, address, scopes);
  std::ranges::reverse(scopes);
  return scopes;
}

}  // namespace

struct DebugInfo::State {
  /// A unit's code: up to `end` from the key that it has in `units`.
  struct Range {
    Dwarf_Addr end = 0;
    Dwarf_Die unit{};
    Dwarf_Die scopes{};  ///< The unit that has them: with -gsplit-dwarf that lies in a file of its own.
  };

  struct Function {
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    Dwarf_Addr reach = 0;        ///< The furthest end of this one and those before it: they may overlap.
    const char* name = nullptr;  ///< The module's.
  };

  std::unique_ptr<Dwfl, EndDwfl> dwfl;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr symbol_bias = 0;
  Dwarf_Addr line_bias = 0;           ///< Of what `units` counts.
  std::map<Dwarf_Addr, Range> units;  ///< By their own tables: compilers write no index of them.
  bool has_units = false;
  std::optional<std::vector<Function>> functions;  ///< By where they begin.

  /// All at once: libdw looks an address up by going through all symbols, and libtorch has half a million of them.
  void find_functions() {
    functions.emplace();
    const int symbols = dwfl_module_getsymtab(module);
    for (int i = 0; i < symbols; ++i) {
      GElf_Sym symbol{};
      GElf_Addr begin = 0;
      const char* const name = dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
      const auto type = GELF_ST_TYPE(symbol.st_info);
      if (name == nullptr || (type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
      functions->push_back({.begin = begin - symbol_bias, .end = begin - symbol_bias + symbol.st_size, .name = name});
    }
    std::ranges::sort(*functions, {}, &Function::begin);
    Dwarf_Addr reach = 0;
    for (Function& one : *functions) one.reach = reach = std::max(reach, one.end);
  }

  /// Of several names, always the same.
  const Function* function_at(Dwarf_Addr address) {
    if (!functions) find_functions();
    const Function* found = nullptr;
    const auto after = std::ranges::upper_bound(*functions, address, {}, &Function::begin);
    for (auto at = std::make_reverse_iterator(after); at != functions->rend() && at->reach > address; ++at) {
      if (at->end > address && (found == nullptr || std::string_view(at->name) < found->name)) found = &*at;
    }
    return found;
  }

  void find_units() {
    has_units = true;
    Dwarf* const dwarf = dwfl_module_getdwarf(module, &line_bias);
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    Dwarf_Die split;
    while (dwarf != nullptr && dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, &split) == 0) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
        if (begin < end) units[begin] = {.end = end, .unit = die, .scopes = split.addr != nullptr ? split : die};
    }
  }

  Range* range_of(Dwarf_Addr address) {
    if (!has_units) find_units();
    auto after = units.upper_bound(address);
    if (after == units.begin()) return nullptr;
    Range& range = std::prev(after)->second;
    return address < range.end ? &range : nullptr;
  }
};

DebugInfo::DebugInfo(const std::string& object) : state_(std::make_unique<State>()) {
  state_->dwfl.reset(dwfl_begin(&kCallbacks));
  if (!state_->dwfl) return;
  dwfl_report_begin(state_->dwfl.get());
  state_->module = dwfl_report_offline(state_->dwfl.get(), object.c_str(), object.c_str(), -1);
  dwfl_report_end(state_->dwfl.get(), nullptr, nullptr);
  if (state_->module != nullptr) dwfl_module_getelf(state_->module, &state_->symbol_bias);
}
DebugInfo::~DebugInfo() = default;
DebugInfo::DebugInfo(DebugInfo&&) noexcept = default;
DebugInfo& DebugInfo::operator=(DebugInfo&&) noexcept = default;

ElfFunction DebugInfo::function_at(std::uint64_t address) const {
  if (state_->module == nullptr) return {};
  const State::Function* const function = state_->function_at(address);
  return function == nullptr ? ElfFunction() : ElfFunction{.name = function->name, .begins = function->begin};
}

std::vector<SourceLine> DebugInfo::lines_at(std::uint64_t address) const {
  if (state_->module == nullptr) return {};
  // Units first: the bias is known with them.
  if (!state_->has_units) state_->find_units();
  const Dwarf_Addr in_file = address + state_->symbol_bias - state_->line_bias;
  State::Range* const range = state_->range_of(in_file);
  Dwarf_Die* const unit = range == nullptr ? nullptr : &range->unit;
  Dwarf_Line* const line = unit == nullptr ? nullptr : dwarf_getsrc_die(unit, in_file);
  const char* const file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
  int number = 0;
  if (file == nullptr || dwarf_lineno(line, &number) != 0) return {};
  std::vector<SourceLine> lines{{.file = whole_name(file, unit), .line = static_cast<std::uint64_t>(number)}};
  for (Dwarf_Die& scope : scopes_at(&range->scopes, in_file))
    if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine) lines.push_back(call_of(&scope, unit));
  return lines;
}

}  // namespace tally
