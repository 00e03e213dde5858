#include "dump.h"

#include "call_sites.h"
#include "calls.h"
#include "names.h"
#include "protocol/string_repetitions.h"
#include "stretches.h"

namespace tally::counter {

namespace {

UInt g_dumps = 0;
bool g_forked = false;

/// An entry of a linkage table that was executed.
struct Entry {
  UInt number = 0;
  ULong executions = 0;  ///< Less those that callers were found for.
};

/// Of one dump, in order of addresses.
class LinkageTables {
 public:
  LinkageTables() = default;
  LinkageTables(const LinkageTables&) = delete;
  LinkageTables& operator=(const LinkageTables&) = delete;
  ~LinkageTables() { VG_(free)(entries_); }

  /// Whether it is one of them: a jump through memory, and little before it.
  static bool has(const Stretch& stretch) {
    constexpr UInt kMost = 3;
    return stretch.hops && stretch.unmapped == 0 && stretch.instructions <= kMost &&
           VG_(DebugInfo_sect_kind)(nullptr, stretch.block) == Vg_SectPLT;
  }

  void add(UInt number, ULong executions) {
    if (size_ == room_) {
      room_ = room_ == 0 ? 64 : 2 * room_;
      entries_ = static_cast<Entry*>(VG_(realloc)("tally.entries", entries_, room_ * sizeof(Entry)));
    }
    entries_[size_++] = {number, executions};
  }

  void sort() {
    VG_(ssort)(entries_, size_, sizeof(Entry), [](const void* one, const void* other) -> Int {
      const Addr a = stretch(static_cast<const Entry*>(one)->number).block;
      const Addr b = stretch(static_cast<const Entry*>(other)->number).block;
      return a < b ? -1 : a > b ? 1 : 0;
    });
  }

  /// The instructions that so many calls of what is at an address take in a table.
  ULong take(Addr at, ULong calls) {
    UInt low = 0;
    for (UInt high = size_; low < high;) {
      const UInt middle = low + ((high - low) / 2);
      if (stretch(entries_[middle].number).block < at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == size_ || stretch(entries_[low].number).block != at) return 0;
    const ULong taken = calls < entries_[low].executions ? calls : entries_[low].executions;
    entries_[low].executions -= taken;
    return taken * stretch(entries_[low].number).instructions;
  }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (UInt i = 0; i < size_; ++i) visit(entries_[i]);
  }

 private:
  Entry* entries_ = nullptr;
  UInt size_ = 0;
  UInt room_ = 0;
};

/// What was executed of one stretch.
struct Executed {
  UInt number = 0;
  ULong executions = 0;
};

/// Those that are no linkage tables', which go into `tables`; in order of addresses, so that each function's follow
/// each other. The caller's to free.
struct Region {
  Executed* executed = nullptr;
  UInt size = 0;
  ULong repetitions = 0;  ///< Of string instructions.
};

Region take_region(LinkageTables& tables) {
  UInt room = 4096;
  Region region{static_cast<Executed*>(VG_(malloc)("tally.executed", room * sizeof(Executed)))};
  for (UInt number = 1; number <= stretches(); ++number) {
    const ULong executions = take_executions(number);
    if (executions == 0) continue;
    if (stretch(number).repeats) {
      region.repetitions += executions;
      continue;
    }
    if (LinkageTables::has(stretch(number))) {
      tables.add(number, executions);
      continue;
    }
    if (region.size == room) {
      room *= 2;
      region.executed =
          static_cast<Executed*>(VG_(realloc)("tally.executed", region.executed, room * sizeof(Executed)));
    }
    region.executed[region.size++] = {number, executions};
  }
  tables.sort();
  VG_(ssort)(region.executed, region.size, sizeof(Executed), [](const void* one, const void* other) -> Int {
    const Addr a = stretch(static_cast<const Executed*>(one)->number).block;
    const Addr b = stretch(static_cast<const Executed*>(other)->number).block;
    return a < b ? -1 : a > b ? 1 : 0;
  });
  return region;
}

class File {
 public:
  File(const HChar* name, const HChar* head, bool with_functions)
      : file_(VG_(fopen)(name, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0600)), with_functions_(with_functions) {
    // Who waits for the file says so; the process is not to fail.
    if (file_ == nullptr) return;
    VG_(fprintf)(file_, "# callgrind format\nversion: 1\ncreator: tallymark\npid: %d\n%spositions: %s\nevents: Ir\n\n",
                 VG_(getpid)(), head, positions());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// `in_tables`: instructions of linkage tables that it passes through, of all its executions.
  void add(UInt number, ULong executions, ULong in_tables) {
    const ULong instructions = executions * stretch(number).instructions + in_tables;
    total_ += instructions;
    if (file_ == nullptr || instructions == 0 || (!with_functions_ && g_forked)) return;
    // They are written with their calls.
    if (follows_calls()) return;
    const UShort unmapped = stretch(number).unmapped;
    const HChar* object = unmapped != 0 ? object_of_unmapped(unmapped) : objects_.name_of(stretch(number).block);
    const HChar* function = function_of(number, objects_, now_);
    if (!with_functions_) return;
    if (object != object_ || function != function_) begin_function(object, function);
    if (keeps_instructions()) {
      add_instructions(number, executions, in_tables);
    } else {
      cost_ += instructions;
    }
  }

  void finish(ULong repetitions) {
    if (file_ == nullptr) return;
    end_function();
    if (with_functions_ && follows_calls()) write_calls(file_);
    VG_(fprintf)(file_, "\ntotals: %llu\n", total_);
    if (repetitions != 0) VG_(fprintf)(file_, "%s%llu\n", protocol::kStringRepetitions, repetitions);
    VG_(fclose)(file_);
  }

 private:
  void add_instructions(UInt number, ULong executions, ULong in_tables) {
    const Addr* const instructions = instructions_of(number);
    const UInt last = stretch(number).instructions - 1;
    const UShort unmapped = stretch(number).unmapped;
    for (UInt i = 0; i <= last; ++i) {
      const Addr at = instructions[i];
      VG_(fprintf)(file_, "0x%lx 0 %llu\n", unmapped != 0 ? in_file_of_unmapped(unmapped, at) : objects_.in_file(at),
                   executions + (i == last ? in_tables : 0));
    }
    // Nobody knows by now which functions they are.
    if (unmapped != 0) return;
    if (notes_call_sites()) {
      add_noted_calls(instructions[last]);
    } else {
      add_call(instructions[last], stretch(number).next, executions);
    }
  }

  /// Once of each instruction, though it may end several stretches.
  void add_noted_calls(Addr site) {
    if (site == last_site_) return;
    last_site_ = site;
    for (const CallFrom* call = calls_from(site); call->site == site; ++call) add_call(site, call->callee, call->calls);
  }

  /// Where that is another function.
  void add_call(Addr from, Addr to, ULong calls) {
    const HChar* callee = nullptr;
    if (to == 0 || was_unmapped(to) || !VG_(get_fnname_if_entry)(now_, to, &callee) ||
        VG_(strcmp)(callee, function_) == 0)
      return;
    const HChar* const object = callees_.name_of(to);
    if (object != object_) VG_(fprintf)(file_, "cob=%s\n", object);
    VG_(fprintf)(file_, "cfn=%s\ncalls=%llu 0x%lx 0\n", callee, calls, callees_.in_file(to));
    VG_(fprintf)(file_, "0x%lx 0 0\n", objects_.in_file(from));
  }

  void begin_function(const HChar* object, const HChar* function) {
    end_function();
    if (object != object_) VG_(fprintf)(file_, "ob=%s\n", object);
    VG_(fprintf)(file_, "fn=%s\n", function);
    object_ = object;
    function_ = function;
  }

  void end_function() {
    if (cost_ != 0) VG_(fprintf)(file_, "0 %llu\n", cost_);
    cost_ = 0;
  }

  VgFile* file_;
  bool with_functions_;
  DiEpoch now_ = VG_(current_DiEpoch)();
  Objects objects_{now_};
  Objects callees_{now_};
  Addr last_site_ = 0;
  const HChar* object_ = nullptr;
  const HChar* function_ = nullptr;
  ULong cost_ = 0;  ///< Of that function.
  ULong total_ = 0;
};

void write(const HChar* path, const HChar* head, bool with_functions) {
  LinkageTables tables;
  const Region region = take_region(tables);
  File file(path, head, with_functions);
  for (UInt i = 0; i < region.size; ++i) {
    const auto& [number, executions] = region.executed[i];
    const Stretch& one = stretch(number);
    const ULong in_tables = one.next == 0 ? 0 : tables.take(one.next, executions);
    file.add(number, executions, in_tables);
  }
  tables.for_each([&](const Entry& entry) { file.add(entry.number, entry.executions, 0); });
  file.finish(region.repetitions);
  forget_calls();
  forget_call_sites();
  VG_(free)(region.executed);
}

}  // namespace

void dump(const HChar* name, bool with_functions) {
  HChar* const base = VG_(expand_file_name)("--callgrind-out-file", name);
  HChar* const path = static_cast<HChar*>(VG_(malloc)("tally.path", VG_(strlen)(base) + 16));
  VG_(sprintf)(path, "%s.%u", base, ++g_dumps);
  VG_(free)(base);
  write(path, "", with_functions);
  VG_(free)(path);
}

void dump_to(const HChar* path, const HChar* head) { write(path, head, true); }

const HChar* positions() { return keeps_instructions() ? "instr line" : "line"; }

ULong collected() {
  ULong total = 0;
  for (UInt number = 1; number <= stretches(); ++number) total += executions(number) * stretch(number).instructions;
  return total;
}

void zero() {
  for (UInt number = 1; number <= stretches(); ++number) take_executions(number);
  forget_calls();
  forget_call_sites();
}

void on_fork() {
  g_dumps = 0;
  g_forked = true;
}

}  // namespace tally::counter
